import { diffLines } from "diff";
import { useMemo } from "react";
import { Scrollable } from "./Scrollable";

type Line = { key: string; sign: "+" | "-" | " "; text: string };

function linesOf(before: string, after: string): Line[] {
  const lines: Line[] = [];
  for (const { value, added, removed } of diffLines(before, after)) {
    const sign = added ? "+" : removed ? "-" : " ";
    for (const text of value.replace(/\n$/, "").split("\n")) {
      lines.push({ key: `${lines.length}`, sign, text });
    }
  }
  return lines;
}

const SAID = { "+": "added: ", "-": "removed: ", " ": "" };

/** The differences between two texts, line by line. */
export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => linesOf(before, after), [before, after]);
  if (before === after) return <p className="soft">There is no difference.</p>;
  return (
    <Scrollable className="diff code" label={label}>
      {lines.map(({ key, sign, text }) => (
        <div key={key} className="diff-line" data-sign={sign}>
          <span className="diff-sign" aria-hidden="true">
            {sign}
          </span>
          <span className="hidden-text">{SAID[sign]}</span>
          <span className="diff-text">{text || " "}</span>
        </div>
      ))}
    </Scrollable>
  );
}
