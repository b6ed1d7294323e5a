import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { type DragEvent, useState } from "react";
import { useNavigate } from "react-router";
import type { ImportPreview, TextFile } from "../api/model";
import { keys } from "../api/queries";
import { importFiles, importPreview } from "../api/zoo";
import { Creature } from "../creatures/Creature";
import { Button } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { Field } from "../design/Field";
import { toast } from "../design/toasts";
import { counted } from "../design/words";
import { Report } from "./ExportDialog";

async function textFiles(list: FileList): Promise<TextFile[]> {
  return Promise.all(
    [...list].map(async (file) => ({
      path: file.webkitRelativePath || file.name,
      text: await file.text(),
    })),
  );
}

/** Files of other programs become agents, after a look at what they would be. */
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
  const [files, setFiles] = useState<TextFile[]>([]);
  const preview = useMutation({ mutationFn: (chosen: TextFile[]) => importPreview(chosen) });
  const look = (chosen: TextFile[]) => {
    setFiles(chosen);
    preview.mutate(chosen);
  };
  if (preview.data && !preview.isPending) {
    return (
      <Preview
        files={files}
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
  onChoose: (files: TextFile[]) => void;
};

function Choose({ busy, problem, onChoose }: ChooseProps) {
  const [pasted, setPasted] = useState("");
  const [over, setOver] = useState(false);
  const take = (list: FileList | null) => {
    if (list && list.length > 0) void textFiles(list).then(onChoose);
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
      <div className="row-end">
        <Button
          disabled={!pasted.trim() || busy}
          onClick={() => onChoose([{ path: "pasted.md", text: pasted }])}
        >
          Look at it
        </Button>
      </div>
    </>
  );
}

type PreviewProps = {
  files: TextFile[];
  preview: ImportPreview;
  onBack: () => void;
  onClose: () => void;
};

function Preview({ files, preview, onBack, onClose }: PreviewProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const bring = useMutation({
    mutationFn: () => importFiles(files),
    onSuccess: async ({ created }) => {
      await client.invalidateQueries({ queryKey: keys.allSummaries });
      onClose();
      toast(`${counted(created.length, "agent")} came in.`);
      if (created.length === 1) await navigate(`/agent/${encodeURIComponent(created[0] ?? "")}`);
    },
  });
  return (
    <>
      <Report report={preview.report} title="What will not come along as it is" />
      <ul className="import-agents">
        {preview.agents.map((agent) => (
          <li key={agent.id} className="card">
            <Creature seed={agent.appearanceSeed || agent.id} size={72} />
            <div>
              <h3>{agent.name}</h3>
              <p className="soft">{agent.description}</p>
              <p className="soft small">
                {counted(agent.skills.length, "skill")},{" "}
                {counted(agent.systemPrompt.length, "character")} of soul
              </p>
            </div>
          </li>
        ))}
      </ul>
      {preview.agents.length === 0 && <p>There is no agent in these files.</p>}
      {bring.error && (
        <p className="field-problem" role="alert">
          {bring.error.message}
        </p>
      )}
      <div className="row-end">
        <Button onClick={onBack}>Other files</Button>
        <Button
          look="primary"
          disabled={preview.agents.length === 0 || bring.isPending}
          onClick={() => bring.mutate()}
        >
          Import {counted(preview.agents.length, "agent")}
        </Button>
      </div>
    </>
  );
}
