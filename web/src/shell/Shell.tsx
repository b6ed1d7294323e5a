import {
  FileUp,
  Menu as MenuIcon,
  Moon,
  PawPrint,
  Plus,
  Search,
  Server,
  Sun,
  SunMoon,
} from "lucide-react";
import { lazy, Suspense, useCallback, useState } from "react";
import { NavLink, Outlet, useLocation } from "react-router";
import { Commands, openPalette } from "../commands/Commands";
import { FindButton } from "../commands/FindButton";
import { Button, IconButton } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { useMediaQuery } from "../design/media";
import { LoadingState } from "../design/states";
import { type ThemeChoice, useTheme, useThemeOnPage } from "../design/theme";
import { SignedInUser } from "../signIn/SignedInUser";
import { StartLink } from "../start/StartLink";
import { AgentList } from "./AgentList";
import { useFocusOnArrival } from "./focusOnNavigation";
import { Logo } from "./Logo";
import { NewAgentDialog } from "./NewAgentDialog";
import { NewAgentContext } from "./newAgent";
import { OfflineBanner } from "./OfflineBanner";

const ImportDialog = lazy(async () => ({
  default: (await import("../files/ImportDialog")).ImportDialog,
}));

const THEMES: Record<ThemeChoice, { next: ThemeChoice; label: string; icon: typeof Sun }> = {
  system: {
    next: "light",
    label: "Colours: as the system has them. Change to light",
    icon: SunMoon,
  },
  light: { next: "dark", label: "Colours: light. Change to dark", icon: Sun },
  dark: { next: "system", label: "Colours: dark. Change to the system's", icon: Moon },
};

function ThemeButton() {
  const { choice, choose } = useTheme();
  const { next, label, icon: Icon } = THEMES[choice];
  return <IconButton label={label} icon={<Icon size={20} />} onClick={() => choose(next)} />;
}

function Links({ onChoose }: { onChoose?: () => void }) {
  return (
    <nav className="nav" aria-label="Main">
      <NavLink className="nav-link" to="/" end onClick={onChoose}>
        <PawPrint size={19} /> Zoo
      </NavLink>
      <NavLink className="nav-link" to="/servers" onClick={onChoose}>
        <Server size={19} /> Servers &amp; tools
      </NavLink>
      <StartLink onChoose={onChoose} />
    </nav>
  );
}

function Brand() {
  return (
    <NavLink className="brand" to="/" end aria-label="Paddock, to the zoo">
      <Logo />
      <span>Paddock</span>
    </NavLink>
  );
}

type BarProps = { onNew: () => void; onImport: () => void };

function Sidebar({ onNew, onImport }: BarProps) {
  return (
    <aside className="sidebar">
      <div className="sidebar-head">
        <Brand />
        <ThemeButton />
      </div>
      <FindButton />
      <Links />
      <div className="sidebar-head">
        <h2 className="sidebar-title">Agents</h2>
        <span className="spring" />
        <IconButton label="Import agents" icon={<FileUp size={19} />} onClick={onImport} />
        <IconButton label="New agent" icon={<Plus size={20} />} onClick={onNew} />
      </div>
      <AgentList onChoose={() => undefined} />
      <SignedInUser />
    </aside>
  );
}

function PhoneBar({ onNew, onImport }: BarProps) {
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  return (
    <header className="phone-bar">
      <IconButton
        label="Agents and pages"
        icon={<MenuIcon size={22} />}
        onClick={() => setOpen(true)}
      />
      <Brand />
      <span className="row phone-tools">
        <IconButton label="Find anything" icon={<Search size={21} />} onClick={openPalette} />
        <ThemeButton />
      </span>
      <Dialog open={open} onClose={close} title="Paddock" form="sheet-left">
        <Links onChoose={close} />
        <Button
          onClick={() => {
            close();
            onNew();
          }}
        >
          <Plus size={18} /> New agent
        </Button>
        <Button
          onClick={() => {
            close();
            onImport();
          }}
        >
          <FileUp size={18} /> Import agents
        </Button>
        <AgentList onChoose={close} />
        <SignedInUser />
      </Dialog>
    </header>
  );
}

/**
 * The frame of every page, with the list of agents at the left, or behind a button on narrow
 * screens.
 */
export function Shell() {
  useThemeOnPage();
  useFocusOnArrival();
  const narrow = useMediaQuery("(max-width: 60rem)");
  const [creating, setCreating] = useState(false);
  const create = useCallback(() => setCreating(true), []);
  const [importing, setImporting] = useState(false);
  const openImport = useCallback(() => setImporting(true), []);
  const bar = { onNew: create, onImport: openImport };
  const { pathname } = useLocation();
  return (
    <NewAgentContext value={create}>
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <div className="shell">
        {narrow ? <PhoneBar {...bar} /> : <Sidebar {...bar} />}
        <main id="main" className="main" tabIndex={-1} data-at={pathname === "/" ? "zoo" : "page"}>
          <OfflineBanner />
          <Suspense fallback={<LoadingState />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <Commands {...bar} />
      <NewAgentDialog open={creating} onClose={() => setCreating(false)} />
      {importing && (
        <Suspense>
          <ImportDialog open onClose={() => setImporting(false)} />
        </Suspense>
      )}
    </NewAgentContext>
  );
}
