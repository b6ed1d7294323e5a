import { Search } from "lucide-react";
import { openPalette } from "./Commands";
import { COMMAND_KEY } from "./keys";

/** A button that opens the command palette and shows its keyboard shortcut. */
export function FindButton() {
  return (
    <button type="button" className="find-button" onClick={openPalette}>
      <Search size={17} aria-hidden="true" />
      <span>Find anything</span>
      <span className="spring" />
      <kbd className="key">{COMMAND_KEY} K</kbd>
    </button>
  );
}
