import { TriangleAlert } from "lucide-react";
import { useEffect, useRef } from "react";
import { Diff } from "./Diff";

/** A notice in a form whose text was edited elsewhere. Saving again overwrites that change. */
export function ChangedElsewhere({ theirs, mine }: { theirs: string; mine: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <div className="stack-small" role="alert" ref={place}>
      <p className="notice">
        <TriangleAlert size={18} />
        <span className="notice-text">
          This was edited elsewhere. These are the differences between that version and yours;
          saving again replaces theirs.
        </span>
      </p>
      <Diff before={theirs} after={mine} label="From theirs to yours" />
    </div>
  );
}
