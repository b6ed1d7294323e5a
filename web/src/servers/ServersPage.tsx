import { ChevronRight, MessageSquareText, TriangleAlert, Wrench } from "lucide-react";
import { Link } from "react-router";
import { useConnections } from "../api/clients";
import { encodeServerName, type ServerSummary, useServers } from "../api/servers";
import { formatCount } from "../design/format";
import { ErrorState, LoadingState } from "../design/states";
import { PageTitle } from "../shell/PageTitle";
import { Engines, Extensions } from "./MachineParts";
import "./servers.css";

function sourceOf({ source, extension }: ServerSummary): string {
  if (source === "built-in") return "comes with Paddock";
  return source === "user" ? "made by you" : `from ${extension ?? "an extension"}`;
}

function Facts({ server }: { server: ServerSummary }) {
  const { tools, prompts, findings } = server;
  return (
    <p className="server-facts small">
      <span>{sourceOf(server)}</span>
      {tools !== null && (
        <span>
          <Wrench size={14} aria-hidden="true" /> {formatCount(tools, "tool")}
        </span>
      )}
      {Boolean(prompts) && (
        <span>
          <MessageSquareText size={14} aria-hidden="true" /> {formatCount(prompts ?? 0, "prompt")}
        </span>
      )}
      {findings > 0 && (
        <span className="server-findings">
          <TriangleAlert size={14} aria-hidden="true" /> {formatCount(findings, "finding")}
        </span>
      )}
    </p>
  );
}

function Row({ server, connected }: { server: ServerSummary; connected: boolean }) {
  const { name, title, description, problem } = server;
  return (
    <li>
      <Link className="card server" to={`/servers/${encodeServerName(name)}`}>
        <div className="server-text">
          <h2>{title || name}</h2>
          {description && <p className="soft">{description}</p>}
          {problem && <p className="server-problem small">{problem}</p>}
          <Facts server={server} />
        </div>
        {connected && (
          <span className="light" data-on="true">
            <span className="light-lamp" aria-hidden="true" />
            <span className="small">connected</span>
          </span>
        )}
        <ChevronRight size={22} aria-hidden="true" />
      </Link>
    </li>
  );
}

/** The named servers, and the engines and extensions of the machine. */
export function ServersPage() {
  const { data, error, refetch } = useServers();
  const connected = new Set(useConnections().map((one) => one.server));
  return (
    <div className="page servers">
      <header>
        <PageTitle title="Servers & tools">Servers &amp; tools</PageTitle>
        <p className="soft">
          Sets of tools that AI clients can connect to. Open one to see what it can do, try it, and
          give it to your editor or chat.
        </p>
      </header>
      {data ? (
        <>
          <ul className="server-list">
            {data.map((server) => (
              <Row key={server.name} server={server} connected={connected.has(server.name)} />
            ))}
          </ul>
          <Engines />
          <Extensions />
        </>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingState label="Loading the servers" />
      )}
    </div>
  );
}
