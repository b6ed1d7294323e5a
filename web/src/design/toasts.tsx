/** Short messages in a corner, with an optional action such as undo. */

import { X } from "lucide-react";
import { Toast } from "radix-ui";
import { useSyncExternalStore } from "react";
import { Button, IconButton } from "./Button";

type Message = {
  id: number;
  text: string;
  bad: boolean;
  milliseconds: number;
  action?: { label: string; run: () => void };
  /** Called once if the message disappears without its action having been chosen. */
  onGone?: () => void;
};

type Options = Partial<Pick<Message, "bad" | "milliseconds" | "action" | "onGone">>;

const MOST_AT_ONCE = 4;

let messages: Message[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function replaceMessages(next: Message[]) {
  messages = next;
  for (const listener of listeners) listener();
}

function remove(id: number): Message | undefined {
  const found = messages.find((message) => message.id === id);
  if (found) replaceMessages(messages.filter((message) => message !== found));
  return found;
}

export function toast(text: string, options: Options = {}): number {
  lastId += 1;
  const message: Message = { id: lastId, text, bad: false, milliseconds: 6000, ...options };
  const kept = messages.slice(-MOST_AT_ONCE + 1);
  for (const dropped of messages.slice(0, -MOST_AT_ONCE + 1)) dropped.onGone?.();
  replaceMessages([...kept, message]);
  return message.id;
}

/** Remove a message before its time is over. */
export function dismissToast(id: number) {
  remove(id)?.onGone?.();
}

function act(message: Message) {
  if (remove(message.id)) message.action?.run();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => messages);
  return (
    <Toast.Provider swipeDirection="left" label="Message">
      {shown.map((message) => (
        <Toast.Root
          key={message.id}
          className={message.bad ? "toast toast-bad" : "toast"}
          duration={message.milliseconds}
          type={message.bad ? "foreground" : "background"}
          onOpenChange={(open) => !open && dismissToast(message.id)}
        >
          <Toast.Description className="toast-text">{message.text}</Toast.Description>
          {message.action && (
            <Toast.Action asChild altText={message.action.label}>
              <Button look="quiet" small onClick={() => act(message)}>
                {message.action.label}
              </Button>
            </Toast.Action>
          )}
          <Toast.Close asChild>
            <IconButton small label="Dismiss" icon={<X size={16} />} />
          </Toast.Close>
        </Toast.Root>
      ))}
      <Toast.Viewport className="toasts" />
    </Toast.Provider>
  );
}
