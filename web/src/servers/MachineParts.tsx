/** The engines and extensions of this machine. */

import { CircleCheck, CircleDashed, Puzzle, TriangleAlert } from "lucide-react";
import { type Engine, type Extension, useEngines, useExtensions } from "../api/servers";
import { formatCount } from "../design/format";
import { ErrorState, Skeleton } from "../design/states";

function EngineCard({ engine }: { engine: Engine }) {
  const { title, version, found, howToGet, licence, capabilities, isChosen, reason } = engine;
  return (
    <li className="card part" data-here={found !== ""}>
      <p className="row">
        {found ? (
          <CircleCheck size={20} className="part-here" aria-hidden="true" />
        ) : (
          <CircleDashed size={20} aria-hidden="true" />
        )}
        <strong>{title}</strong>
        {version && <span className="soft small">{version}</span>}
        {isChosen && <span className="chip chip-chosen">in use</span>}
      </p>
      <p className="soft small">{found ? capabilities.join(" · ") : `Not here: ${howToGet}`}</p>
      {isChosen && reason && <p className="small">Chosen as {reason}.</p>}
      <p className="soft small">{licence}</p>
    </li>
  );
}

function ExtensionCard({ extension }: { extension: Extension }) {
  const { name, kind, version, place, servers, tools, prompts, problem } = extension;
  return (
    <li className="card part">
      <p className="row">
        {problem ? (
          <TriangleAlert size={20} className="part-broken" aria-hidden="true" />
        ) : (
          <Puzzle size={20} aria-hidden="true" />
        )}
        <strong>{name}</strong>
        <span className="soft small">
          {kind} {version}
        </span>
      </p>
      <p className="small">
        {problem ??
          [
            formatCount(servers.length, "server"),
            formatCount(tools.length, "tool"),
            formatCount(prompts.length, "prompt"),
          ].join(" · ")}
      </p>
      <p className="soft small">
        <code>{place}</code>
      </p>
    </li>
  );
}

export function Engines() {
  const { data, error, refetch } = useEngines();
  return (
    <section className="stack-small">
      <h2>Engines of the Wolfram Language</h2>
      {data ? (
        <ul className="parts">
          {data.map((engine) => (
            <EngineCard key={engine.name} engine={engine} />
          ))}
        </ul>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height="7rem" />
      )}
    </section>
  );
}

export function Extensions() {
  const { data, error, refetch } = useExtensions();
  return (
    <section className="stack-small">
      <h2>Extensions</h2>
      {data ? (
        <ul className="parts">
          {data.map((extension) => (
            <ExtensionCard key={extension.name} extension={extension} />
          ))}
        </ul>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height="5rem" />
      )}
    </section>
  );
}
