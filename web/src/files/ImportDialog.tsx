import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { type DragEvent, useState } from "react";
import { useNavigate } from "react-router";
import type { ImportPreview, TextFile } from "../api/model";
import { keys, useFormats } from "../api/queries";
import { importFiles, importPreview } from "../api/zoo";
import { Creature } from "../creatures/Creature";
import { Button } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { Field } from "../design/Field";
import { formatCount } from "../design/format";
import { toast } from "../design/toasts";
import { Report } from "./ExportDialog";

/** Files, with their format if their paths do not determine it. */
type Source = { files: TextFile[]; format?: string };

async function textFiles(list: FileList): Promise<TextFile[]> {
  return Promise.all(
    [...list].map(async (file) => ({
      path: file.webkitRelativePath || file.name,
      text: await file.text(),
    })),
  );
}

/** Import agents from files of other programs, after a preview. */
export function ImportDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      form="wide"
      title="Import agents"
      description="From a zoo's agents.json, or agents, skills and rules of Claude Code, Cursor, Copilot and opencode."
    >
      <Import onClose={onClose} />
    </Dialog>
  );
}

function Import({ onClose }: { onClose: () => void }) {
  const [source, setSource] = useState<Source>({ files: [] });
  const preview = useMutation({
    mutationFn: ({ files, format }: Source) => importPreview(files, format),
  });
  const look = (chosen: Source) => {
    setSource(chosen);
    preview.mutate(chosen);
  };
  if (preview.data && !preview.isPending) {
    return (
      <Preview
        source={source}
        preview={preview.data}
        onBack={() => preview.reset()}
        onClose={onClose}
      />
    );
  }
  return <Choose busy={preview.isPending} problem={preview.error?.message} onChoose={look} />;
}

type ChooseProps = {
  busy: boolean;
  problem: string | undefined;
  onChoose: (source: Source) => void;
};

function Choose({ busy, problem, onChoose }: ChooseProps) {
  const [pasted, setPasted] = useState("");
  const [format, setFormat] = useState("claude-code");
  const { data: formats = [] } = useFormats();
  const [over, setOver] = useState(false);
  const take = (list: FileList | null) => {
    if (list && list.length > 0) void textFiles(list).then((files) => onChoose({ files }));
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <>
      <label
        className="drop"
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <FileUp size={30} aria-hidden="true" />
        <span>{busy ? "Reading…" : "Drop files here, or choose them"}</span>
        <input type="file" multiple onChange={(event) => take(event.target.files)} />
      </label>
      <Field label="Or paste a file's text" problem={problem}>
        <textarea
          className="input code"
          rows={6}
          value={pasted}
          onChange={(event) => setPasted(event.target.value)}
        />
      </Field>
      <div className="row-end pasted-as">
        <Field label="It is for">
          <select
            className="input"
            value={format}
            onChange={(event) => setFormat(event.target.value)}
          >
            {formats.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </Field>
        <Button
          disabled={!pasted.trim() || busy}
          onClick={() => onChoose({ files: [{ path: "pasted.md", text: pasted }], format })}
        >
          Look at it
        </Button>
      </div>
    </>
  );
}

type PreviewProps = {
  source: Source;
  preview: ImportPreview;
  onBack: () => void;
  onClose: () => void;
};

function Preview({ source, preview, onBack, onClose }: PreviewProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { agents, skills, entries } = preview;
  const isEmpty = agents.length === 0 && skills.length === 0;
  const said = [
    agents.length > 0 && formatCount(agents.length, "agent"),
    skills.length > 0 &&
      formatCount(skills.length, "skill for the library", "skills for the library"),
  ]
    .filter(Boolean)
    .join(" and ");
  const bring = useMutation({
    mutationFn: () => importFiles(source.files, source.format),
    onSuccess: async ({ created }) => {
      await client.invalidateQueries({ queryKey: keys.allSummaries });
      await client.invalidateQueries({ queryKey: keys.library });
      onClose();
      toast(`${said} came in.`);
      if (created.length === 1) await navigate(`/agent/${encodeURIComponent(created[0] ?? "")}`);
    },
  });
  return (
    <>
      <Report report={preview.report} title="What will not come along as it is" />
      <ul className="import-agents">
        {agents.map((agent) => (
          <li key={agent.id} className="card">
            <Creature seed={agent.appearanceSeed || agent.id} size={72} />
            <div>
              <h3>{agent.name}</h3>
              <p className="soft">{agent.description}</p>
              <p className="soft small">
                {formatCount(agent.skills.length, "skill")},{" "}
                {formatCount(agent.systemPrompt.length, "character")} of soul
              </p>
            </div>
          </li>
        ))}
      </ul>
      {skills.length > 0 && (
        <p>
          For the library: <strong>{skills.map(({ name }) => name).join(", ")}</strong>
        </p>
      )}
      {entries > 0 && <p className="soft">With {formatCount(entries, "memory", "memories")}.</p>}
      {isEmpty && <p>There is neither an agent nor a skill in it.</p>}
      {bring.error && (
        <p className="field-problem" role="alert">
          {bring.error.message}
        </p>
      )}
      <div className="row-end">
        <Button onClick={onBack}>Other files</Button>
        <Button look="primary" disabled={isEmpty || bring.isPending} onClick={() => bring.mutate()}>
          Import {said}
        </Button>
      </div>
    </>
  );
}
