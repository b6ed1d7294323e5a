import type { Section } from "../api/model";
import { formatCount } from "../design/format";
import "./injected.css";

/** The share of each section in the prompt. */
export function SizeBar({ sections }: { sections: Section[] }) {
  const total = sections.reduce((sum, { tokens }) => sum + tokens, 0);
  return (
    <div className="size">
      <div className="size-bar" aria-hidden="true">
        {sections.map(({ kind, title, tokens }) => (
          <span
            key={`${kind} ${title}`}
            data-kind={kind}
            style={{ flexGrow: Math.max(tokens / Math.max(total, 1), 0.01) }}
          />
        ))}
      </div>
      <ul className="size-names">
        {sections.map(({ kind, title, tokens }) => (
          <li key={`${kind} ${title}`}>
            <span className="size-dot" data-kind={kind} />
            {title} <span className="soft">{formatCount(tokens, "token")}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
