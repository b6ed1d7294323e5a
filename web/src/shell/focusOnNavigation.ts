/**
 * After navigation, the focus moves to the heading of the new page, as after loading a document.
 */

import { useEffect, useRef } from "react";
import { useLocation } from "react-router";

/**
 * Return the page of a path. The tabs of an agent are one page, so switching tabs keeps the focus.
 */
export function getPage(pathname: string): string {
  const [, first = "", second = ""] = pathname.split("/");
  return `${first}/${second}`;
}

const PATIENCE = 3000;

export function useFocusOnArrival() {
  const page = getPage(useLocation().pathname);
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
    // The code of the page is still being loaded.
    const observer = new MutationObserver(() => focusHeading() && observer.disconnect());
    observer.observe(document.body, { childList: true, subtree: true });
    const timer = window.setTimeout(() => observer.disconnect(), PATIENCE);
    return () => {
      observer.disconnect();
      window.clearTimeout(timer);
    };
  }, [page]);
}
