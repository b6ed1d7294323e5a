import { useQueryClient } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { useHealth } from "../api/queries";
import { signOut } from "../api/zoo";
import { IconButton } from "../design/Button";
import { showFailure } from "../design/failures";

/** The name of the signed-in user, on servers with several users. */
export function SignedInUser() {
  const { data } = useHealth();
  const client = useQueryClient();
  if (!data?.signedIn) return null;
  const leave = async () => {
    try {
      await signOut();
      client.clear();
      window.location.assign("/");
    } catch (error) {
      showFailure(error);
    }
  };
  return (
    <p className="signed-in">
      <span className="one-line">{data.signedIn}</span>
      <IconButton small label="Sign out" icon={<LogOut size={17} />} onClick={() => void leave()} />
    </p>
  );
}
