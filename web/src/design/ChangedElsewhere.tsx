import { TriangleAlert } from "lucide-react";
import { useEffect, useRef } from "react";
import { Diff } from "./Diff";

/** In a form: what somebody else has made of the text meanwhile. Saving again is a decision then. */
export function ChangedElsewhere({ theirs, mine }: { theirs: string; mine: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <div className="stack-small" role="alert" ref={place}>
      <p className="notice">
        <TriangleAlert size={18} />
        <span className="notice-text">
          Somebody else has changed this meanwhile. Here is what is different from theirs to yours;
          saving again replaces theirs.
        </span>
      </p>
      <Diff before={theirs} after={mine} label="From theirs to yours" />
    </div>
  );
}
