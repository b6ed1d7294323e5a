import { CloudOff } from "lucide-react";
import { useEffect, useState } from "react";
import { reconnect, useConnection } from "../api/events";
import { Button } from "../design/Button";

/** Delay before the banner appears, so that a short interruption shows nothing. */
const PATIENCE = 1500;

export function OfflineBanner() {
  const lost = useConnection() === "lost";
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!lost) {
      setShown(false);
      return;
    }
    const timer = window.setTimeout(() => setShown(true), PATIENCE);
    return () => window.clearTimeout(timer);
  }, [lost]);
  return (
    <div role="status">
      {shown && (
        <div className="notice offline">
          <CloudOff size={20} />
          <span className="notice-text">
            Paddock does not answer. You can go on typing: drafts are kept in this browser. We keep
            trying to reach it.
          </span>
          <Button small onClick={reconnect}>
            Try now
          </Button>
        </div>
      )}
    </div>
  );
}
