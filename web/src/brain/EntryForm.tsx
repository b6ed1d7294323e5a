import { type FormEvent, useState } from "react";
import { parseTags } from "../agent/DetailsDialog";
import { type BrainEntry, ENTRY_TYPES, type EntryType } from "../api/model";
import { Button } from "../design/Button";
import { ChangedElsewhere } from "../design/ChangedElsewhere";
import { useDraft } from "../design/drafts";
import { Field } from "../design/Field";
import { Switch } from "../design/Switch";
import { TYPES } from "./EntryType";

export type EntryValues = { type: EntryType; content: string; tags: string[]; pinned: boolean };

type EntryFormProps = {
  /** The name of the draft that keeps the text until it is saved. */
  draft: string;
  entry?: BrainEntry;
  /** The version saved elsewhere since the form was opened. */
  theirs: BrainEntry | null;
  onSave: (values: EntryValues) => Promise<boolean>;
  onCancel: () => void;
};

type Written = { type: EntryType; content: string; tags: string; pinned: boolean };

const EMPTY: Written = { type: "note", content: "", tags: "", pinned: false };

export function EntryForm({ draft: name, entry, theirs, onSave, onCancel }: EntryFormProps) {
  const [begun] = useState<Written>(() =>
    entry
      ? {
          type: entry.type,
          content: entry.content,
          tags: entry.tags.join(", "),
          pinned: entry.pinned,
        }
      : EMPTY,
  );
  const draft = useDraft<Written>(name, begun);
  const [busy, setBusy] = useState(false);
  const { type, content, tags, pinned } = draft.value;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const saved = await onSave({ type, content: content.trim(), tags: parseTags(tags), pinned });
    setBusy(false);
    if (saved) draft.discard();
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <Field label="What should be remembered">
        <textarea
          className="input"
          rows={5}
          required
          // biome-ignore lint/a11y/noAutofocus: the form was opened to write this
          autoFocus
          value={content}
          onChange={(event) => draft.change({ content: event.target.value })}
        />
      </Field>
      <div className="entry-form-row">
        <Field label="Kind">
          <select
            className="input"
            value={type}
            onChange={(event) => draft.change({ type: event.target.value as EntryType })}
          >
            {ENTRY_TYPES.map((each) => (
              <option key={each} value={each}>
                {TYPES[each].label}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Tags" hint="Separated by commas.">
          <input
            className="input"
            value={tags}
            onChange={(event) => draft.change({ tags: event.target.value })}
          />
        </Field>
      </div>
      {theirs && <ChangedElsewhere theirs={theirs.content} mine={content} />}
      <div className="row">
        <Switch
          label="Pinned"
          checked={pinned}
          onChange={(next) => draft.change({ pinned: next })}
        />
        <span>Pinned: injected before all others</span>
        <span className="spring" />
        <Button
          onClick={() => {
            draft.discard();
            onCancel();
          }}
        >
          Cancel
        </Button>
        <Button look="primary" type="submit" disabled={!content.trim() || busy}>
          {entry ? "Save" : "Remember"}
        </Button>
      </div>
    </form>
  );
}
