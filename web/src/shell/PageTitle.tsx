import { type ReactNode, useEffect } from "react";

/**
 * The heading of a page. It also sets the title of the window and receives the focus after
 * navigation.
 */
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
