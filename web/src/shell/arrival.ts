/** After the way to another page, reading goes on at its heading, as after a link to a document. */

import { useEffect, useRef } from "react";
import { useLocation } from "react-router";

/** Tabs of one agent are parts of one page: between them focus stays where it is. */
export function pageOf(pathname: string): string {
  const [, first = "", second = ""] = pathname.split("/");
  return `${first}/${second}`;
}

const PATIENCE = 3000;

export function useFocusOnArrival() {
  const page = pageOf(useLocation().pathname);
  const before = useRef(page);
  useEffect(() => {
    if (before.current === page) return;
    before.current = page;
    const focusHeading = () => {
      const heading = document.querySelector<HTMLElement>("[data-page-title]");
      heading?.focus();
      return heading !== null;
    };
    if (focusHeading()) return;
    // The page is still being loaded.
    const observer = new MutationObserver(() => focusHeading() && observer.disconnect());
    observer.observe(document.body, { childList: true, subtree: true });
    const timer = window.setTimeout(() => observer.disconnect(), PATIENCE);
    return () => {
      observer.disconnect();
      window.clearTimeout(timer);
    };
  }, [page]);
}
