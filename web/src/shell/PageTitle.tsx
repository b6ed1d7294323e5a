import { type ReactNode, useEffect } from "react";

/** The heading of a page, which is also the window's title, and where focus goes on arrival. */
export function PageTitle({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <h1 tabIndex={-1} data-page-title="">
      {children}
    </h1>
  );
}

export function useTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · Paddock`;
  }, [title]);
}
