import { useState } from "react";
import type { Clash } from "../api/saving";
import { Button } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { Diff } from "../design/Diff";
import { Field } from "../design/Field";

type ClashDialogProps = {
  clash: Clash;
  onClose: () => void;
  /** The text that it shall be. */
  onChoose: (text: string) => void;
};

/** Two have changed the same lines: both texts, what differs, and a place to make one of them. */
export function ClashDialog({ clash, onClose, onChoose }: ClashDialogProps) {
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
