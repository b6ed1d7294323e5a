import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { IconButton } from "./Button";
import { useFocusReturn } from "./focusReturn";

type DialogProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: string;
  children: ReactNode;
  /** Buttons below the scrollable content. */
  foot?: ReactNode;
  form?: "dialog" | "wide" | "sheet" | "sheet-left";
};

const CLASSES = {
  dialog: "dialog",
  wide: "dialog dialog-wide",
  sheet: "sheet",
  "sheet-left": "sheet sheet-left",
};

/**
 * Focus the title, not the close button, so that screen readers begin there, unless a field
 * requests the focus.
 */
function focusItself(event: Event) {
  event.preventDefault();
  (event.currentTarget as HTMLElement).focus();
}

/**
 * A dialog in the middle of the window, or a sheet at one side. Escape and a click outside close
 * it.
 */
export function Dialog({
  open,
  onClose,
  title,
  description,
  children,
  foot,
  form = "dialog",
}: DialogProps) {
  const giveBack = useFocusReturn(open);
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
