/** Where the focus goes when a dialog closes: back to what opened it. */

import { useCallback, useRef } from "react";

/** What has the focus; of an item of a menu, which is gone by then, the button of the menu. */
function focusedNow(): HTMLElement | null {
  const focused = document.activeElement as HTMLElement | null;
  const menu = focused?.closest("[role=menu]");
  const button = menu && document.getElementById(menu.getAttribute("aria-labelledby") ?? "");
  return button ?? focused;
}

/** A handler for the moment when a dialog gives the focus back. */
export function useOpener(open: boolean): (event: Event) => void {
  const opener = useRef<HTMLElement | null>(null);
  const was = useRef(false);
  // While it is rendered for the first time nothing in it has taken the focus yet.
  if (open && !was.current) opener.current = focusedNow();
  was.current = open;
  return useCallback((event: Event) => {
    event.preventDefault();
    if (opener.current?.isConnected) opener.current.focus();
  }, []);
}
