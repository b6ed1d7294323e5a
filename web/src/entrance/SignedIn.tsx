import { useQueryClient } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { useHealth } from "../api/queries";
import { signOut } from "../api/zoo";
import { IconButton } from "../design/Button";
import { tellFailure } from "../design/failures";

/** As whom one is here, where several people are. */
export function SignedIn() {
  const { data } = useHealth();
  const client = useQueryClient();
  if (!data?.signedIn) return null;
  const leave = async () => {
    try {
      await signOut();
      client.clear();
      window.location.assign("/");
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <p className="signed-in">
      <span className="one-line">{data.signedIn}</span>
      <IconButton small label="Sign out" icon={<LogOut size={17} />} onClick={() => void leave()} />
    </p>
  );
}
