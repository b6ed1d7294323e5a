import { ArrowLeft, FileText, Plug } from "lucide-react";
import { useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import { isNotFound } from "../api/queries";
import { type ServerDetail, useServer } from "../api/servers";
import { Button } from "../design/Button";
import { CopyButton } from "../design/CopyButton";
import { Dialog } from "../design/Dialog";
import { formatCount } from "../design/format";
import { EmptyState, ErrorState, LoadingState } from "../design/states";
import { PageTitle } from "../shell/PageTitle";
import { ClientChooser } from "./ClientChooser";
import { Findings } from "./Findings";
import { Markdown } from "./Markdown";
import { PromptCard } from "./PromptCard";
import { StatusLight } from "./StatusLight";
import { ToolCard } from "./ToolCard";
import "./servers.css";

function Head({ server }: { server: ServerDetail }) {
  const [connecting, setConnecting] = useState(false);
  const { name, title, description, url } = server;
  return (
    <header className="server-head">
      <Link to="/servers" className="back">
        <ArrowLeft size={17} aria-hidden="true" /> All servers
      </Link>
      <div className="row">
        <div>
          <PageTitle title={title || name}>{title || name}</PageTitle>
          {description && <p className="soft">{description}</p>}
        </div>
        <span className="spring" />
        <Button look="primary" onClick={() => setConnecting(true)}>
          <Plug size={18} /> Connect a client
        </Button>
      </div>
      <div className="row">
        <StatusLight server={name} />
        <span className="spring" />
        <code className="soft">{new URL(url, window.location.origin).href}</code>
        <CopyButton small text={new URL(url, window.location.origin).href} label="Copy address" />
      </div>
      <Dialog
        open={connecting}
        onClose={() => setConnecting(false)}
        title={`Give ${title || name} to a client`}
        description="Nothing is written before you have seen what."
        form="wide"
      >
        <ClientChooser server={name} address={url} />
      </Dialog>
    </header>
  );
}

/** The open card, kept in the URL so that it can be linked to. */
function useOpenCard(): [string, (card: string) => void] {
  const [query, setQuery] = useSearchParams();
  const open = query.get("open") ?? "";
  const toggle = (card: string) =>
    setQuery(card === open ? {} : { open: card }, { replace: true, preventScrollReset: true });
  return [open, toggle];
}

function Resources({ server }: { server: ServerDetail }) {
  const all = [
    ...server.resources.map((one) => ({ ...one, at: one.uri })),
    ...server.templates.map((one) => ({ ...one, at: one.uriTemplate })),
  ];
  if (all.length === 0) return null;
  return (
    <section className="stack-small">
      <h2>{formatCount(all.length, "resource")}</h2>
      <ul className="parts">
        {all.map(({ at, name, title, description }) => (
          <li key={at} className="card part">
            <p className="row">
              <FileText size={18} aria-hidden="true" />
              <strong>{title || name}</strong>
            </p>
            {description && <p className="soft small">{description}</p>}
            <code className="small">{at}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Detail({ server }: { server: ServerDetail }) {
  const [open, toggle] = useOpenCard();
  const { name, tools, prompts, instructions, problem, findings } = server;
  return (
    <>
      <Head server={server} />
      {problem && (
        <p className="notice notice-bad" role="alert">
          {problem}
        </p>
      )}
      <Findings findings={findings} />
      {instructions && (
        <details className="card instructions">
          <summary>What it tells a model about itself</summary>
          <Markdown text={instructions} />
        </details>
      )}
      {tools.length > 0 && (
        <section className="stack-small">
          <h2>{formatCount(tools.length, "tool")}</h2>
          <ul className="items">
            {tools.map((tool) => (
              <ToolCard
                key={tool.name}
                server={name}
                tool={tool}
                open={open === `tool:${tool.name}`}
                onToggle={() => toggle(`tool:${tool.name}`)}
              />
            ))}
          </ul>
        </section>
      )}
      {prompts.length > 0 && (
        <section className="stack-small">
          <h2>{formatCount(prompts.length, "prompt")}</h2>
          <ul className="items">
            {prompts.map((prompt) => (
              <PromptCard
                key={prompt.name}
                server={name}
                prompt={prompt}
                open={open === `prompt:${prompt.name}`}
                onToggle={() => toggle(`prompt:${prompt.name}`)}
              />
            ))}
          </ul>
        </section>
      )}
      <Resources server={server} />
    </>
  );
}

/** A named server with everything that its clients see. Tools and prompts can be tried. */
export function ServerPage() {
  const { name: encodedName = "" } = useParams();
  const { data, error, refetch } = useServer(encodedName);
  return (
    <div className="page servers">
      {data ? (
        <Detail key={data.name} server={data} />
      ) : isNotFound(error) ? (
        <EmptyState title="No such server" seed={encodedName}>
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
