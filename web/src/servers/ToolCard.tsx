import { BookOpenCheck, ChevronDown, Globe, PencilLine, Wrench } from "lucide-react";
import { useCallback, useMemo } from "react";
import { type CallResult, callTool, type ToolInfo } from "../api/servers";
import { CopyButton } from "../design/CopyButton";
import { Contents, Data } from "./Contents";
import { createFields } from "./fields";
import { Markdown } from "./Markdown";
import { TryForm } from "./TryForm";

function Manners({ annotations }: Pick<ToolInfo, "annotations">) {
  if (!annotations) return null;
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  return (
    <span className="manners">
      {readOnlyHint ? (
        <span className="chip">
          <BookOpenCheck size={14} aria-hidden="true" /> only reads
        </span>
      ) : (
        destructiveHint && (
          <span className="chip chip-careful">
            <PencilLine size={14} aria-hidden="true" /> can change things
          </span>
        )
      )}
      {openWorldHint && (
        <span className="chip">
          <Globe size={14} aria-hidden="true" /> asks the outside world
        </span>
      )}
    </span>
  );
}

function milliseconds(value: number): string {
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}

export function CallResultView({ result, label }: { result: CallResult; label: string }) {
  const text = result.content.flatMap((one) => (one.text === undefined ? [] : [one.text]));
  return (
    <section className="answer" data-bad={result.isError} aria-label={`Answer of ${label}`}>
      <p className="row small">
        <strong>{result.isError ? "The tool says that it failed" : "Answer"}</strong>
        <span className="soft">{milliseconds(result.milliseconds)}</span>
        <span className="spring" />
        {text.length > 0 && <CopyButton small text={text.join("\n")} />}
      </p>
      <Contents contents={result.content} label={label} />
      {result.structuredContent !== null && result.structuredContent !== undefined && (
        <Data value={result.structuredContent} />
      )}
    </section>
  );
}

type Props = { server: string; tool: ToolInfo; open: boolean; onToggle: () => void };

/** A tool with its description and, when it is open, a form to try it. */
export function ToolCard({ server, tool, open, onToggle }: Props) {
  const { name, title, description, inputSchema, annotations } = tool;
  const fields = useMemo(() => createFields(inputSchema), [inputSchema]);
  const send = useCallback(
    (values: Record<string, unknown>, signal: AbortSignal) =>
      callTool(server, name, values, signal),
    [server, name],
  );
  return (
    <li className="card item" data-open={open}>
      <h3>
        <button type="button" className="item-head" aria-expanded={open} onClick={onToggle}>
          <Wrench size={18} aria-hidden="true" />
          <span className="item-name">{title || name}</span>
          <ChevronDown size={20} className="item-arrow" aria-hidden="true" />
        </button>
      </h3>
      {open ? (
        <>
          <p className="row small">
            <code>{name}</code>
            <Manners annotations={annotations} />
          </p>
          {description && (
            <div className="item-description">
              <Markdown text={description} />
            </div>
          )}
          <TryForm name={`call:${server}/${name}`} verb="Run it" fields={fields} send={send}>
            {(result) => <CallResultView result={result} label={title || name} />}
          </TryForm>
        </>
      ) : (
        description && <p className="soft item-blurb">{description.split("\n")[0]}</p>
      )}
    </li>
  );
}
