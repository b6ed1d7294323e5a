import { useState } from "react";
import type { EditConflict } from "../api/saveAgent";
import { Button } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { Diff } from "../design/Diff";
import { Field } from "../design/Field";

type ClashDialogProps = {
  clash: EditConflict;
  onClose: () => void;
  /** The resolved text. */
  onChoose: (text: string) => void;
};

/**
 * A dialog for conflicting edits: both texts, their differences, and a field for the resolved text.
 */
export function ConflictDialog({ clash, onClose, onChoose }: ClashDialogProps) {
  const [text, setText] = useState(clash.merged);
  return (
    <Dialog
      open
      onClose={onClose}
      form="wide"
      title="Changed here and elsewhere"
      description="Both of you have changed the same lines. Nothing is lost: choose one text, or make one of both."
      foot={
        <>
          <Button onClick={() => onChoose(clash.theirs)}>Take theirs</Button>
          <Button onClick={() => onChoose(clash.mine)}>Keep mine</Button>
          <Button look="primary" onClick={() => onChoose(text)}>
            Save the text below
          </Button>
        </>
      }
    >
      <div className="field">
        <p className="field-label">From theirs to yours</p>
        <Diff before={clash.theirs} after={clash.mine} label="From theirs to yours" />
      </div>
      <Field
        label="One text of both"
        hint="Lines that only one of you changed are merged; where you met, both stand between marks."
      >
        <textarea
          className="input code"
          rows={12}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}
