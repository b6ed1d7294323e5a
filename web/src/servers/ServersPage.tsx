import { ChevronRight, MessageSquareText, TriangleAlert, Wrench } from "lucide-react";
import { Link, useParams } from "react-router";
import { isMissing } from "../api/queries";
import { type ServerDetail, type ServerSummary, useServer, useServers } from "../api/servers";
import { EmptyState, ErrorState, LoadingState } from "../design/states";
import { counted } from "../design/words";
import { PageTitle } from "../shell/PageTitle";
import "./servers.css";

const SOURCES: Record<string, string> = {
  "built-in": "comes with Paddock",
  user: "made by you",
  extension: "from an extension",
};

function addressOf(name: string): string {
  return `/servers/${encodeURIComponent(name)}`;
}

function Row({ server }: { server: ServerSummary }) {
  const { name, title, description, source, tools, prompts, findings } = server;
  return (
    <li>
      <Link className="card server" to={addressOf(name)}>
        <div className="server-text">
          <h2>{title || name}</h2>
          {description && <p className="soft">{description}</p>}
          <p className="server-facts small">
            <span>{SOURCES[source] ?? source}</span>
            {tools !== null && (
              <span>
                <Wrench size={14} aria-hidden="true" /> {counted(tools, "tool")}
              </span>
            )}
            {prompts !== null && (
              <span>
                <MessageSquareText size={14} aria-hidden="true" /> {counted(prompts, "prompt")}
              </span>
            )}
            {findings !== null && findings > 0 && (
              <span className="server-findings">
                <TriangleAlert size={14} aria-hidden="true" /> {counted(findings, "finding")}
              </span>
            )}
          </p>
        </div>
        <ChevronRight size={22} aria-hidden="true" />
      </Link>
    </li>
  );
}

/** The named servers that this Paddock has. */
export function ServersPage() {
  const { data, error, refetch } = useServers();
  return (
    <div className="page servers">
      <header>
        <PageTitle title="Servers & tools">Servers &amp; tools</PageTitle>
        <p className="soft">Sets of tools that AI clients can connect to.</p>
      </header>
      {data ? (
        <ul className="server-list">
          {data.map((server) => (
            <Row key={server.name} server={server} />
          ))}
        </ul>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingState label="Loading the servers" />
      )}
    </div>
  );
}

function Detail({ server }: { server: ServerDetail }) {
  const items = [...server.tools, ...server.prompts];
  return (
    <>
      <header>
        <Link to="/servers">All servers</Link>
        <PageTitle title={server.title || server.name}>{server.title || server.name}</PageTitle>
        {server.description && <p className="soft">{server.description}</p>}
      </header>
      {server.instructions && <p className="card server-instructions">{server.instructions}</p>}
      <ul className="server-list">
        {items.map(({ name, title, description }) => (
          <li key={name} className="card">
            <h2>{title || name}</h2>
            {description && <p className="server-description">{description}</p>}
          </li>
        ))}
      </ul>
    </>
  );
}

export function ServerPage() {
  const { name = "" } = useParams();
  const { data, error, refetch } = useServer(name);
  return (
    <div className="page servers">
      {data ? (
        <Detail server={data} />
      ) : isMissing(error) ? (
        <EmptyState title="No such server" seed={name}>
          <PageTitle title="Not here">
            <span className="hidden-text">Not here</span>
          </PageTitle>
          <Link to="/servers">All servers</Link>
        </EmptyState>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingState label="Loading the server" />
      )}
    </div>
  );
}
