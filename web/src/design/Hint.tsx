import { Tooltip } from "radix-ui";
import type { ReactNode } from "react";

/** A tooltip. Its text must also be part of the accessible name of its element. */
export function Hint({
  text,
  shortcut,
  children,
}: {
  text: string;
  shortcut?: string | undefined;
  children: ReactNode;
}) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className="tooltip" sideOffset={6} collisionPadding={8}>
          {text}
          {shortcut ? ` (${shortcut})` : ""}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
