import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react";
import { onEvent } from "../api/events";
import type { AgentSummary } from "../api/model";
import type { Theme } from "../design/theme";
import { toReaction } from "./reactions";
import { useMeadow } from "./useMeadow";

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

type MeadowViewProps = {
  agents: readonly AgentSummary[];
  theme: Theme;
  still: boolean;
  onOpen: (id: string) => void;
};

function blurb({ skillNames, entryCount }: AgentSummary): string {
  const skills = skillNames.length === 1 ? "1 skill" : `${skillNames.length} skills`;
  const memories = entryCount === 1 ? "1 memory" : `${entryCount} memories`;
  return `${skills}, ${memories}`;
}

/**
 * The meadow: a picture for the eye and the pointer, and the same agents as a list of buttons for
 * the keyboard and for screen readers. One of them is in the tab order, arrow keys lead to the others.
 */
export function MeadowView({ agents, theme, still, onOpen }: MeadowViewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const ground = useRef<HTMLDivElement>(null);
  const card = useRef<HTMLDivElement>(null);
  const buttons = useRef(new Map<string, HTMLButtonElement>());
  const [named, setNamed] = useState<string | null>(null);
  const [home, setHome] = useState<string | null>(null);

  const place = useCallback((at: { x: number; y: number; size: number } | null) => {
    const element = card.current;
    if (!element || !at) return;
    const half = element.offsetWidth / 2 + 8;
    const width = element.parentElement?.clientWidth ?? 0;
    const x = Math.min(Math.max(at.x, half), width - half);
    const above = at.y - at.size - 12;
    const y = above - element.offsetHeight < 4 ? at.y + 34 : above - element.offsetHeight;
    element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px) translateX(-50%)`;
  }, []);

  const meadow = useMeadow({ agents, theme, still, canvas, scroller, ground, onPlace: place });
  const happen = useRef(meadow.happen);
  happen.current = meadow.happen;

  useEffect(
    () =>
      onEvent((event) => {
        const happening = toReaction(event);
        if (happening) happen.current(happening);
      }),
    [],
  );

  const point = (event: PointerEvent) => {
    const id = meadow.walkerAt(event.clientX, event.clientY)?.id ?? null;
    meadow.point(id);
    setNamed(id);
    if (canvas.current) canvas.current.style.cursor = id ? "pointer" : "";
  };

  const leave = () => {
    meadow.point(null);
    setNamed(null);
  };

  const turn = (event: KeyboardEvent, id: string) => {
    const arrow = ARROWS[event.key];
    if (!arrow) return;
    event.preventDefault();
    const next = meadow.neighbour(id, ...arrow);
    if (next) buttons.current.get(next)?.focus();
  };

  const tabStop = agents.some(({ id }) => id === home) ? home : agents[0]?.id;
  const shown = named ? agents.find(({ id }) => id === named) : undefined;

  return (
    <div className="meadow">
      {/* Scrolling only moves the view: every creature can also be reached with the keyboard. */}
      <div className="meadow-scroll" ref={scroller}>
        <div className="meadow-picture" aria-hidden="true">
          <canvas
            ref={canvas}
            className="meadow-canvas"
            onPointerMove={point}
            onPointerLeave={leave}
            onClick={(event) => {
              const walker = meadow.walkerAt(event.clientX, event.clientY);
              if (walker) onOpen(walker.id);
            }}
          />
        </div>
        <div ref={ground} />
        <ul className="hidden-text" aria-label="Agents in the meadow">
          {agents.map((agent) => (
            <li key={agent.id}>
              <button
                type="button"
                ref={(element) => {
                  if (element) buttons.current.set(agent.id, element);
                  else buttons.current.delete(agent.id);
                }}
                tabIndex={agent.id === tabStop ? 0 : -1}
                onClick={() => onOpen(agent.id)}
                onKeyDown={(event) => turn(event, agent.id)}
                onFocus={() => {
                  setHome(agent.id);
                  setNamed(agent.id);
                  meadow.focus(agent.id);
                }}
                onBlur={() => {
                  setNamed(null);
                  meadow.focus(null);
                }}
              >
                {agent.name}, {blurb(agent)}
              </button>
            </li>
          ))}
        </ul>
      </div>
      {shown && (
        <div className="meadow-card" ref={card} aria-hidden="true">
          <strong>{shown.name}</strong>
          {shown.description && <p>{shown.description}</p>}
          <p className="soft small">{blurb(shown)}</p>
        </div>
      )}
    </div>
  );
}
