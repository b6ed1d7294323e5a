import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { listenToKeys, TABS } from "./keys";

const Palette = lazy(async () => ({ default: (await import("./Palette")).Palette }));
const ShortcutSheet = lazy(async () => ({
  default: (await import("./ShortcutSheet")).ShortcutSheet,
}));

const OPEN_PALETTE = "paddock:palette";

/** For buttons that have the same effect as a shortcut. */
export function openPalette() {
  window.dispatchEvent(new Event(OPEN_PALETTE));
}

function focusSearch() {
  document.querySelector<HTMLElement>(".sidebar input[type=search]")?.focus();
}

type Props = { onNew: () => void; onImport: () => void };

/**
 * The keyboard shortcuts of the app, with the command palette and the shortcut sheet, both loaded
 * on first use.
 */
export function Commands({ onNew, onImport }: Props) {
  const [open, setOpen] = useState<"palette" | "help" | null>(null);
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const help = useCallback(() => setOpen("help"), []);
  const close = useCallback(() => setOpen(null), []);

  useEffect(() => {
    const palette = () => setOpen((was) => (was === "palette" ? null : "palette"));
    const stop = listenToKeys({
      palette,
      help,
      newAgent: onNew,
      search: focusSearch,
      go: (path) => void navigate(path),
      tab: (index) => {
        const [, kind, id] = pathname.split("/");
        if (kind === "agent" && id) void navigate(`/agent/${id}/${TABS[index] ?? ""}`);
      },
    });
    window.addEventListener(OPEN_PALETTE, palette);
    return () => {
      stop();
      window.removeEventListener(OPEN_PALETTE, palette);
    };
  }, [help, navigate, onNew, pathname]);

  return (
    <Suspense>
      {open === "palette" && (
        <Palette onClose={close} onNew={onNew} onImport={onImport} onHelp={help} />
      )}
      {open === "help" && <ShortcutSheet onClose={close} />}
    </Suspense>
  );
}
