import { TriangleAlert } from "lucide-react";
import type { Finding } from "../api/servers";

/** Problems of a server and how to fix them. */
export function Findings({ findings }: { findings: Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <section className="stack-small">
      <h2>Findings</h2>
      <ul className="stack-small">
        {findings.map(({ code, severity, place, message, remedy }) => (
          <li key={`${code} ${place} ${message}`} className="notice" data-severity={severity}>
            <TriangleAlert size={18} aria-hidden="true" />
            <span className="notice-text">
              <strong>{message}</strong> <code>{place}</code>
              {remedy && <span className="finding-remedy">{remedy}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
