/**
 * Connects the model of the meadow, its painter and the page, with at most one animation frame at a
 * time.
 */

import { type RefObject, useCallback, useEffect, useRef } from "react";
import type { AgentSummary } from "../api/model";
import type { Theme } from "../design/theme";
import { Ground } from "./ground";
import { computeMeasures, type Walker, World } from "./meadow";
import { type PaintOptions, paintFrame } from "./painter";
import { PALETTES } from "./palette";
import { PORTRAIT_MARGIN, Portraits, Tags } from "./portraits";
import { type MeadowReaction, REACTION_SECONDS } from "./reactions";
import { sceneryFor } from "./scenery";

/** Time after its last injection during which an agent counts as active. */
const AT_WORK = 10 * 60 * 1000;

type Options = {
  agents: readonly AgentSummary[];
  theme: Theme;
  still: boolean;
  canvas: RefObject<HTMLCanvasElement | null>;
  scroller: RefObject<HTMLDivElement | null>;
  ground: RefObject<HTMLDivElement | null>;
  /** After each frame, the position of the hovered or focused creature in the canvas. */
  onPlace: (place: { x: number; y: number; size: number } | null) => void;
};

export type Meadow = {
  walkerAt: (clientX: number, clientY: number) => Walker | undefined;
  /** Return the nearest creature in a direction, for the arrow keys. */
  neighbour: (id: string, dx: number, dy: number) => string | undefined;
  point: (id: string | null) => void;
  focus: (id: string | null) => void;
  happen: (happening: MeadowReaction) => void;
};

class Scene {
  readonly world = new World(computeMeasures(0, 1, 1));
  readonly ongoing: PaintOptions["ongoing"] = new Map();
  agents = new Map<string, AgentSummary>();
  focused: string | null = null;
  pointed: string | null = null;
  stage: PaintOptions | null = null;
  viewHeight = 0;
}

function isAtWork(agent: AgentSummary | undefined): boolean {
  return (
    Boolean(agent?.lastInjectedAt) && Date.now() - Date.parse(agent?.lastInjectedAt ?? "") < AT_WORK
  );
}

function seedOf(agent: AgentSummary): string {
  return agent.appearanceSeed || agent.id;
}

export function useMeadow({
  agents,
  theme,
  still,
  canvas,
  scroller,
  ground,
  onPlace,
}: Options): Meadow {
  const kept = useRef<Scene | null>(null);
  kept.current ??= new Scene();
  const scene = kept.current;
  const frame = useRef(0);
  const last = useRef(0);
  const placed = useRef(onPlace);
  placed.current = onPlace;

  const draw = useCallback(
    (now: number) => {
      frame.current = 0;
      const element = canvas.current;
      const pen = element?.getContext("2d");
      const { stage, world } = scene;
      if (!element || !pen || !stage) return;
      if (!still) world.step((now - last.current) / 1000);
      last.current = now;
      const scale = element.width / world.measures.width;
      const top = scroller.current?.scrollTop ?? 0;
      stage.focused = scene.focused;
      stage.pointed = scene.pointed;
      stage.still = still;
      pen.setTransform(scale, 0, 0, scale, 0, -top * scale);
      paintFrame(pen, stage, top, scene.viewHeight);
      const named = world.find(scene.focused ?? scene.pointed ?? "");
      placed.current(named ? { x: named.x, y: named.y - top, size: world.measures.size } : null);
      if (!still) frame.current = requestAnimationFrame(draw);
    },
    [canvas, scroller, scene, still],
  );

  /** Request one more frame if the animation is paused. */
  const redraw = useCallback(() => {
    if (!frame.current) frame.current = requestAnimationFrame(draw);
  }, [draw]);

  useEffect(() => {
    last.current = performance.now();
    redraw();
    return () => {
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    };
  }, [redraw]);

  const shape = useCallback(() => {
    const view = scroller.current;
    const element = canvas.current;
    if (!view || !element || view.clientWidth === 0) return;
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const { clientWidth: width, clientHeight: height } = view;
    const measures = computeMeasures(scene.agents.size, width, height);
    const scenery = sceneryFor(measures);
    if (ground.current) ground.current.style.height = `${measures.height - height}px`;
    element.width = Math.round(width * scale);
    element.height = Math.round(height * scale);
    scene.viewHeight = height;
    scene.world.reshape(measures, scenery.obstacles);
    const palette = PALETTES[theme];
    scene.stage = {
      world: scene.world,
      ground: new Ground(measures, scenery, palette, theme === "dark", scale),
      portraits: new Portraits(Math.round(measures.size * PORTRAIT_MARGIN * scale), redraw),
      tags: new Tags(Math.floor(measures.boxWidth), scale, palette),
      palette,
      nameOf: (id) => scene.agents.get(id)?.name ?? "",
      isAtWork: (id) => isAtWork(scene.agents.get(id)),
      ongoing: scene.ongoing,
      focused: scene.focused,
      pointed: scene.pointed,
      focusColour: getComputedStyle(element).getPropertyValue("--focus") || "#a3430f",
      still,
    };
    redraw();
  }, [canvas, ground, redraw, scene, scroller, still, theme]);

  useEffect(() => {
    scene.agents = new Map(agents.map((agent) => [agent.id, agent]));
    const { width } = scene.world.measures;
    const grown = computeMeasures(agents.length, width, scene.viewHeight);
    const fits =
      scene.stage &&
      grown.size === scene.world.measures.size &&
      grown.height === scene.world.measures.height;
    if (!fits) shape();
    scene.world.populate(agents.map((agent) => ({ id: agent.id, seed: seedOf(agent) })));
    redraw();
  }, [agents, redraw, scene, shape]);

  useEffect(() => {
    const observer = new ResizeObserver(shape);
    if (scroller.current) observer.observe(scroller.current);
    // Names are drawn with a web font, which may finish loading after the first frame.
    void document.fonts?.load('700 12px "Nunito Variable"').then(shape);
    return () => observer.disconnect();
  }, [scroller, shape]);

  useEffect(() => {
    const view = scroller.current;
    view?.addEventListener("scroll", redraw, { passive: true });
    return () => view?.removeEventListener("scroll", redraw);
  }, [redraw, scroller]);

  const reveal = (walker: Walker) => {
    const view = scroller.current;
    if (!view) return;
    const { size } = scene.world.measures;
    const above = walker.y - size - 40;
    const below = walker.y + 60;
    if (above < view.scrollTop) view.scrollTop = above;
    else if (below > view.scrollTop + view.clientHeight) view.scrollTop = below - view.clientHeight;
  };

  return {
    walkerAt: (clientX, clientY) => {
      const box = canvas.current?.getBoundingClientRect();
      if (!box) return undefined;
      return scene.world.at(
        clientX - box.left,
        clientY - box.top + (scroller.current?.scrollTop ?? 0),
      );
    },
    neighbour: (id, dx, dy) => neighbourOf(scene.world, id, dx, dy),
    point: (id) => {
      if (scene.pointed === id) return;
      scene.pointed = id;
      if (id) scene.world.attend(id, 1.5);
      redraw();
    },
    focus: (id) => {
      scene.focused = id;
      const walker = id ? scene.world.find(id) : undefined;
      if (walker) {
        scene.world.attend(walker.id, 600);
        reveal(walker);
      }
      for (const other of scene.world.walkers) {
        if (other !== walker && other.busyUntil - scene.world.time > 60)
          other.busyUntil = scene.world.time;
      }
      redraw();
    },
    happen: (happening) => {
      scene.ongoing.set(happening.agentId, { ...happening, since: scene.world.time });
      scene.world.attend(happening.agentId, REACTION_SECONDS[happening.reaction]);
      redraw();
      if (!still) return;
      // Without animation frames, nothing else would end the reaction.
      window.setTimeout(() => {
        scene.ongoing.delete(happening.agentId);
        redraw();
      }, REACTION_SECONDS[happening.reaction] * 1000);
    },
  };
}

function neighbourOf(world: World, id: string, dx: number, dy: number): string | undefined {
  const from = world.find(id);
  if (!from) return world.walkers[0]?.id;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const other of world.walkers) {
    const along = (other.x - from.x) * dx + (other.y - from.y) * dy;
    const aside = Math.abs((other.x - from.x) * dy) + Math.abs((other.y - from.y) * dx);
    const cost = along + aside * 2;
    if (other !== from && along > 1 && cost < least) {
      best = other.id;
      least = cost;
    }
  }
  return best;
}
