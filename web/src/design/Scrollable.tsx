import type { ReactNode } from "react";

/** A scrollable region that also scrolls with the keyboard. */
export function Scrollable({
  label,
  className,
  children,
}: {
  label: string;
  className: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll only what has the focus
    <section className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
