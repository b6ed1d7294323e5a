import { Dialog } from "../design/Dialog";
import { usePreference } from "../design/preferences";
import { Switch } from "../design/Switch";
import { SHORTCUTS, SINGLE_KEYS } from "./keys";
import "./commands.css";

/** The keyboard shortcuts, and a switch for shortcuts without a modifier key. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const [single, setSingle] = usePreference(SINGLE_KEYS);
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts" form="wide">
      <div className="shortcuts">
        {SHORTCUTS.map(([place, shortcuts]) => (
          <section key={place} className="stack-small">
            <h3>{place}</h3>
            <dl className="shortcut-list">
              {shortcuts.map(({ keys, does }) => (
                <div key={does} className="shortcut">
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key} className="key">
                        {key}
                      </kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className="row">
        <Switch
          id="single-keys"
          checked={single !== "off"}
          onChange={(on) => setSingle(on ? null : "off")}
        />
        <label htmlFor="single-keys">Enable single-key shortcuts such as N and ?</label>
      </div>
    </Dialog>
  );
}
