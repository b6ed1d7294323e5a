import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { listenToKeys, TABS } from "./keys";

const Palette = lazy(async () => ({ default: (await import("./Palette")).Palette }));
const ShortcutSheet = lazy(async () => ({
  default: (await import("./ShortcutSheet")).ShortcutSheet,
}));

const OPEN_PALETTE = "paddock:palette";

/** For buttons that do what the key does. */
export function openPalette() {
  window.dispatchEvent(new Event(OPEN_PALETTE));
}

function focusSearch() {
  document.querySelector<HTMLElement>(".sidebar input[type=search]")?.focus();
}

type Props = { onNew: () => void; onImport: () => void };

/** The keys of the whole app, the palette and the sheet of shortcuts, which are loaded when asked for. */
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
