import { Sprout } from "lucide-react";
import { NavLink } from "react-router";
import { STEPS, useProgress } from "./progress";

/** The link to the guide, shown while the guide has steps left. */
export function StartLink({ onChoose }: { onChoose?: (() => void) | undefined }) {
  const { isOffered, count } = useProgress();
  if (!isOffered) return null;
  return (
    <NavLink className="nav-link" to="/start" onClick={onChoose}>
      <Sprout size={19} /> First steps
      <span className="spring" />
      <span className="chip start-count">
        {count} of {STEPS.length}
      </span>
    </NavLink>
  );
}
