/**
 * Focus management of dialogs: when a dialog closes, the focus returns to the element that opened
 * it.
 */

import { useCallback, useRef } from "react";

/**
 * Return the focused element. For a menu item, which disappears with its menu, return the button of
 * the menu.
 */
function focusedNow(): HTMLElement | null {
  const focused = document.activeElement as HTMLElement | null;
  const menu = focused?.closest("[role=menu]");
  const button = menu && document.getElementById(menu.getAttribute("aria-labelledby") ?? "");
  return button ?? focused;
}

/** Return the handler that restores the focus when a dialog closes. */
export function useFocusReturn(open: boolean): (event: Event) => void {
  const opener = useRef<HTMLElement | null>(null);
  const was = useRef(false);
  // During the first render, no element of the dialog has taken the focus yet.
  if (open && !was.current) opener.current = focusedNow();
  was.current = open;
  return useCallback((event: Event) => {
    event.preventDefault();
    if (opener.current?.isConnected) opener.current.focus();
  }, []);
}
