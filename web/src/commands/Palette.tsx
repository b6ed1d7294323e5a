import { Search } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { Creature } from "../creatures/Creature";
import { useFocusReturn } from "../design/focusReturn";
import { type Command, meant } from "./fuzzyMatch";
import { type DialogOpeners, useCommands } from "./useCommands";
import "./commands.css";

type ListProps = {
  id: string;
  commands: Command[];
  at: number;
  onPoint: (index: number) => void;
  onRun: (command: Command) => void;
};

function Options({ id, commands, at, onPoint, onRun }: ListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[id="${id}-${at}"]`)?.scrollIntoView({ block: "nearest" });
  }, [id, at]);
  return (
    <div className="palette-list" id={id} role="listbox" aria-label="Found" ref={list}>
      {commands.map((command, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys of the list
        // biome-ignore lint/a11y/useFocusableInteractive: as above
        <div
          key={command.id}
          id={`${id}-${index}`}
          className="palette-option"
          role="option"
          aria-selected={index === at}
          onPointerMove={() => onPoint(index)}
          onClick={() => onRun(command)}
        >
          {command.seed ? <Creature seed={command.seed} size={30} /> : <span />}
          <span className="one-line">{command.title}</span>
          <span className="soft small">{command.group}</span>
        </div>
      ))}
    </div>
  );
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

function Finder({ onClose, ...openers }: DialogOpeners & { onClose: () => void }) {
  const commands = useCommands(openers);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const found = useMemo(() => meant(commands, typed), [commands, typed]);
  const here = Math.min(at, found.length - 1);

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const last = found.length - 1;
      const next = here + step;
      const around = Math.abs(step) === 1 ? (next < 0 ? last : next > last ? 0 : next) : next;
      setAt(Math.max(0, Math.min(last, around)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[here]);
    }
  };

  return (
    <>
      <div className="palette-field">
        <Search size={20} aria-hidden="true" />
        <input
          role="combobox"
          aria-label="Find an agent, a page, a server, or something to do"
          aria-expanded={found.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={found.length > 0 ? `${id}-${here}` : undefined}
          placeholder="Find an agent, a page, a server, or something to do"
          value={typed}
          // biome-ignore lint/a11y/noAutofocus: the palette was opened to type into it
          autoFocus
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
      </div>
      {found.length > 0 ? (
        <Options id={id} commands={found} at={here} onPoint={setAt} onRun={run} />
      ) : (
        <p className="palette-none soft" role="status">
          Nothing is called that.
        </p>
      )}
    </>
  );
}

/** The command palette, which finds pages, agents and commands. */
export function Palette({ onClose, ...openers }: DialogOpeners & { onClose: () => void }) {
  const giveBack = useFocusReturn(true);
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="veil" />
        <Radix.Content className="palette" aria-describedby={undefined} onCloseAutoFocus={giveBack}>
          <Radix.Title className="hidden-text">Find anything</Radix.Title>
          <Finder {...openers} onClose={onClose} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
