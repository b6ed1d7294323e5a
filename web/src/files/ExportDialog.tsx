import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useId, useState } from "react";
import type { Agent, ReportLine, TextFile } from "../api/model";
import { useFormats } from "../api/queries";
import { exportArchive, exported } from "../api/zoo";
import { buttonClass } from "../design/Button";
import { CopyButton } from "../design/CopyButton";
import { Dialog } from "../design/Dialog";
import { Field } from "../design/Field";
import { Scrollable } from "../design/Scrollable";
import { Switch } from "../design/Switch";
import { ErrorState, LoadingState } from "../design/states";
import "./files.css";

export function FileList({ files }: { files: TextFile[] }) {
  return (
    <div className="stack-small">
      {files.map(({ path, text }, index) => (
        <details key={path} className="file" open={index === 0}>
          <summary>
            <code>{path}</code>
          </summary>
          <Scrollable className="code file-text" label={path}>
            {text}
          </Scrollable>
          <CopyButton small text={text} />
        </details>
      ))}
    </div>
  );
}

export function Report({ report, title }: { report: ReportLine[]; title: string }) {
  if (report.length === 0) return null;
  return (
    <div className="notice report">
      <p className="field-label">{title}</p>
      <ul>
        {report.map(({ field, message, path }) => (
          <li key={`${path} ${field} ${message}`}>
            {path && <code>{path}</code>} {field && <code>{field}</code>} {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A preview of an agent as files of other programs, with a download. */
export function ExportDialog({
  agent,
  open,
  onClose,
}: {
  agent: Agent;
  open: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      form="wide"
      title={`Export ${agent.name}`}
      description="Files that other programs read, to look at, copy or keep."
    >
      <Export agent={agent} />
    </Dialog>
  );
}

function Export({ agent }: { agent: Agent }) {
  const formats = useFormats();
  const [chosen, setChosen] = useState<string | null>(null);
  const [memory, setMemory] = useState(false);
  const switchId = useId();
  const format = chosen ?? formats.data?.[0]?.name ?? "";
  const made = useQuery({
    queryKey: ["agent", agent.id, "export", format, memory],
    queryFn: ({ signal }) => exported(agent.id, format, memory, signal),
    enabled: format !== "",
  });
  const error = formats.error ?? made.error;
  if (error)
    return (
      <ErrorState
        error={error}
        onRetry={() => void Promise.all([formats.refetch(), made.refetch()])}
      />
    );
  if (!formats.data) return <LoadingState rows={1} />;
  return (
    <>
      <div className="row export-head">
        <Field label="For">
          <select
            className="input"
            value={format}
            onChange={(event) => setChosen(event.target.value)}
          >
            {formats.data.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </Field>
        <span className="row export-memory">
          <Switch id={switchId} checked={memory} onChange={setMemory} />
          <label htmlFor={switchId}>With its memory</label>
        </span>
        <span className="spring" />
        <a
          className={buttonClass({ look: "primary" })}
          href={exportArchive(agent.id, format, memory)}
          download
        >
          <Download size={18} /> Download as zip
        </a>
      </div>
      {made.data ? (
        <>
          <Report report={made.data.report} title="What does not fit this format" />
          <FileList files={made.data.files} />
        </>
      ) : (
        <LoadingState rows={2} />
      )}
    </>
  );
}
