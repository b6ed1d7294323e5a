import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { IconButton } from "./Button";
import { useOpener } from "./opener";

type DialogProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: string;
  children: ReactNode;
  /** Buttons below the content, which scrolls. */
  foot?: ReactNode;
  form?: "dialog" | "wide" | "sheet" | "sheet-left";
};

const CLASSES = {
  dialog: "dialog",
  wide: "dialog dialog-wide",
  sheet: "sheet",
  "sheet-left": "sheet sheet-left",
};

/** Reading begins at the title, not at the button that closes; unless a field asks for the focus. */
function focusItself(event: Event) {
  event.preventDefault();
  (event.currentTarget as HTMLElement).focus();
}

/** A dialog in the middle, or a sheet that slides in from a side; Escape and the veil close it. */
export function Dialog({
  open,
  onClose,
  title,
  description,
  children,
  foot,
  form = "dialog",
}: DialogProps) {
  const giveBack = useOpener(open);
  return (
    <Radix.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="veil" />
        <Radix.Content
          className={CLASSES[form]}
          onOpenAutoFocus={focusItself}
          onCloseAutoFocus={giveBack}
          {...(description ? {} : { "aria-describedby": undefined })}
        >
          <div className="dialog-head">
            <div>
              <Radix.Title asChild>
                <h2>{title}</h2>
              </Radix.Title>
              {description && <Radix.Description className="soft">{description}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <IconButton label="Close" icon={<X size={20} />} />
            </Radix.Close>
          </div>
          <div className="dialog-body">{children}</div>
          {foot && <div className="dialog-foot">{foot}</div>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
