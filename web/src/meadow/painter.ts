/** Paints one frame: ground, shadows, creatures with moving feet, name tags, and reactions. */

import { createAppearance } from "../creatures/appearance";
import { hashText } from "../creatures/random";
import type { Ground } from "./ground";
import { LABEL_HEIGHT, type Walker, type World } from "./meadow";
import type { Palette } from "./palette";
import { PORTRAIT_MARGIN, type Portraits, type Tags } from "./portraits";
import { type MeadowReaction, REACTION_SECONDS } from "./reactions";

type Pen = CanvasRenderingContext2D;

export type ActiveReaction = MeadowReaction & { since: number };

export type PaintOptions = {
  world: World;
  ground: Ground;
  portraits: Portraits;
  tags: Tags;
  palette: Palette;
  nameOf: (id: string) => string;
  /** Agents that were injected recently. They glow. */
  isAtWork: (id: string) => boolean;
  ongoing: Map<string, ActiveReaction>;
  /** The creatures with the keyboard focus and under the pointer. */
  focused: string | null;
  pointed: string | null;
  focusColour: string;
  /** Whether animation is off, because it is paused or reduced motion is requested. */
  still: boolean;
};

const feetColours = new Map<string, string>();

function feetColour(seed: string): string {
  const known = feetColours.get(seed);
  if (known) return known;
  const colour = createAppearance(seed).colours.shade;
  feetColours.set(seed, colour);
  return colour;
}

/** An easing function that overshoots slightly. */
function springy(part: number): number {
  if (part >= 1) return 1;
  return 1 - Math.cos(part * Math.PI * 2.2) * Math.exp(-part * 5);
}

function oval(pen: Pen, x: number, y: number, rx: number, ry: number, colour: string) {
  pen.beginPath();
  pen.ellipse(x, y, Math.max(rx, 0), Math.max(ry, 0), 0, 0, 2 * Math.PI);
  pen.fillStyle = colour;
  pen.fill();
}

function feet(pen: Pen, walker: Walker, size: number, lift: number) {
  const colour = feetColour(walker.seed);
  const swing = walker.walking ? Math.sin((walker.stride / size) * 11) : 0;
  for (const side of [-1, 1]) {
    const forward = swing * side;
    oval(
      pen,
      walker.x + side * size * 0.125 + forward * size * 0.05 * walker.facing,
      walker.y - size * 0.03 - Math.max(forward, 0) * size * 0.05 - lift,
      size * 0.092,
      size * 0.055,
      colour,
    );
  }
}

/** Return whether a creature blinks, which it does every few seconds at its own time. */
function blinks(walker: Walker, time: number): boolean {
  const rhythm = 3.2 + (hashText(walker.id) % 1000) / 400;
  return (time + rhythm * 7) % rhythm < 0.13;
}

function creature(pen: Pen, stage: PaintOptions, walker: Walker) {
  const { world, palette, portraits, ongoing, still } = stage;
  const { size } = world.measures;
  const { time } = world;
  const reaction = ongoing.get(walker.id);
  const since = reaction ? time - reaction.since : 0;
  const hop =
    reaction && !still && since < 1.6
      ? Math.abs(Math.sin(since * 6)) * size * 0.2 * (1 - since / 1.6)
      : 0;
  const breath = still ? 0 : Math.sin(time * 2.1 + (hashText(walker.id) % 63) / 10) * 0.014;
  const bounce = walker.walking
    ? Math.abs(Math.sin((walker.stride / size) * 11)) * size * 0.035
    : 0;
  const grown = still ? 1 : Math.max(springy((time - walker.bornAt) / 0.7), 0.01);
  const lift = hop + bounce;

  oval(pen, walker.x, walker.y + 1, size * (0.31 - lift / size / 3), size * 0.075, palette.shadow);
  if (stage.isAtWork(walker.id)) glow(pen, walker, size, palette, still ? 0 : time);
  feet(pen, walker, size, hop);
  const happy =
    reaction !== undefined || stage.pointed === walker.id || stage.focused === walker.id;
  const mood = happy ? "happy" : !still && blinks(walker, time) ? "asleep" : "awake";
  const picture = portraits.get(walker.seed, mood) ?? portraits.get(walker.seed, "awake");
  pen.save();
  pen.translate(walker.x, walker.y - lift - size * 0.02);
  pen.scale(walker.facing * grown * (1 - breath), grown * (1 + breath + bounce / size / 3));
  const side = size * PORTRAIT_MARGIN;
  // In the drawing, the body meets the ground at 104 of 120 units.
  const down = size * (104 / 120) + (side - size) / 2;
  if (picture) pen.drawImage(picture, -side / 2, -down, side, side);
  else oval(pen, 0, -size * 0.32, size * 0.26, size * 0.32, feetColour(walker.seed));
  pen.restore();
}

function glow(pen: Pen, { x, y }: Walker, size: number, palette: Palette, time: number) {
  const pulse = 1 + Math.sin(time * 2.4) * 0.06;
  pen.globalAlpha = 0.5;
  oval(pen, x, y + 1, size * 0.44 * pulse, size * 0.14 * pulse, palette.glow);
  pen.globalAlpha = 1;
}

function tag(pen: Pen, stage: PaintOptions, walker: Walker) {
  const { image, width, height } = stage.tags.get(stage.nameOf(walker.id));
  const x = Math.round(walker.x - width / 2);
  const y = Math.round(walker.y + 4);
  pen.drawImage(image, x, y, width, height);
  if (stage.focused !== walker.id) return;
  const { left, top, right, bottom } = stage.world.boxAt(walker.x, walker.y);
  pen.beginPath();
  pen.roundRect(left, top, right - left, bottom - top + 4, 16);
  pen.strokeStyle = stage.focusColour;
  pen.lineWidth = 3;
  pen.stroke();
}

function sparkle(pen: Pen, x: number, y: number, radius: number, colour: string) {
  pen.beginPath();
  pen.moveTo(x, y - radius);
  pen.quadraticCurveTo(x, y, x + radius, y);
  pen.quadraticCurveTo(x, y, x, y + radius);
  pen.quadraticCurveTo(x, y, x - radius, y);
  pen.quadraticCurveTo(x, y, x, y - radius);
  pen.fillStyle = colour;
  pen.fill();
}

function bubble(
  pen: Pen,
  x: number,
  y: number,
  palette: Palette,
  inside: (x: number, y: number) => void,
) {
  pen.beginPath();
  pen.roundRect(x - 21, y - 32, 42, 32, 13);
  pen.moveTo(x - 6, y - 1);
  pen.lineTo(x, y + 8);
  pen.lineTo(x + 6, y - 1);
  pen.fillStyle = palette.bubble;
  pen.shadowColor = palette.shadow;
  pen.shadowBlur = 8;
  pen.fill();
  pen.shadowColor = "transparent";
  inside(x, y - 16);
}

function lines(pen: Pen, x: number, y: number, palette: Palette, since: number) {
  pen.strokeStyle = palette.bubbleInk;
  pen.lineWidth = 2.6;
  pen.lineCap = "round";
  [-6, 0, 6].forEach((dy, index) => {
    const length = Math.min(Math.max((since - index * 0.5) * 30, 0), index === 2 ? 12 : 22);
    if (length === 0) return;
    pen.beginPath();
    pen.moveTo(x - 11, y + dy);
    pen.lineTo(x - 11 + length, y + dy);
    pen.stroke();
  });
}

function letter(pen: Pen, x: number, y: number, palette: Palette) {
  pen.strokeStyle = palette.bubbleInk;
  pen.lineWidth = 2.2;
  pen.lineJoin = "round";
  pen.beginPath();
  pen.roundRect(x - 12, y - 8, 24, 16, 3);
  pen.moveTo(x - 12, y - 6);
  pen.lineTo(x, y + 2);
  pen.lineTo(x + 12, y - 6);
  pen.fillStyle = palette.bubble;
  pen.fill();
  pen.stroke();
}

function rays(pen: Pen, walker: Walker, size: number, since: number, palette: Palette) {
  for (let index = 0; index < 7; index += 1) {
    const angle = (index / 7) * 2 * Math.PI + since;
    const far = size * (0.42 + Math.min(since, 1.4) * 0.22);
    const fade = Math.max(0, 1 - since / 2.4);
    sparkle(
      pen,
      walker.x + Math.cos(angle) * far,
      walker.y - size * 0.42 + Math.sin(angle) * far * 0.8,
      7 * fade,
      palette.glow,
    );
  }
}

function flight(
  pen: Pen,
  stage: PaintOptions,
  walker: Walker,
  happening: ActiveReaction,
  since: number,
) {
  const from = happening.fromId ? stage.world.find(happening.fromId) : undefined;
  const part = Math.min(since / 1.7, 1);
  if (!from || part >= 1 || stage.still) return false;
  const { size } = stage.world.measures;
  const eased = part * part * (3 - 2 * part);
  const x = from.x + (walker.x - from.x) * eased;
  const y = from.y + (walker.y - from.y) * eased - size * 0.6 - Math.sin(part * Math.PI) * 90;
  letter(pen, x, y, stage.palette);
  return true;
}

function happening(pen: Pen, stage: PaintOptions, walker: Walker, ongoing: ActiveReaction) {
  const { size } = stage.world.measures;
  const { palette, world } = stage;
  const since = world.time - ongoing.since;
  const above = walker.y - size * 1.02;
  if (!stage.still && ["called", "arrives", "changed"].includes(ongoing.reaction))
    rays(pen, walker, size, since, palette);
  if (ongoing.reaction === "called") {
    bubble(pen, walker.x, above, palette, (x, y) => sparkle(pen, x, y, 11, palette.glow));
  } else if (ongoing.reaction === "remembers") {
    bubble(pen, walker.x, above, palette, (x, y) =>
      lines(pen, x, y, palette, stage.still ? 9 : since),
    );
  } else if (ongoing.reaction === "receives" && !flight(pen, stage, walker, ongoing, since)) {
    bubble(pen, walker.x, above, palette, (x, y) => letter(pen, x, y, palette));
  }
}

/** Paint pollen by day and fireflies by night. */
function motes(pen: Pen, stage: PaintOptions, top: number, viewHeight: number) {
  const { width, horizon } = stage.world.measures;
  const { time } = stage.world;
  for (let index = 0; index < 12; index += 1) {
    const x =
      (width * ((index * 0.381) % 1) + Math.sin(time * 0.3 + index * 2) * 60 + time * 6) % width;
    const y =
      top +
      horizon +
      ((index * 0.617) % 1) * (viewHeight - horizon) +
      Math.cos(time * 0.5 + index) * 24;
    pen.globalAlpha = 0.35 + 0.35 * Math.sin(time * 1.3 + index * 1.7);
    oval(pen, x, y, 2.2, 2.2, stage.palette.mote);
  }
  pen.globalAlpha = 1;
}

/** Paint one frame of the visible part, from `top` to `top + viewHeight`. */
export function paintFrame(pen: Pen, stage: PaintOptions, top: number, viewHeight: number) {
  const { world, ongoing } = stage;
  const bottom = top + viewHeight;
  const reach = world.measures.size * 1.4 + LABEL_HEIGHT;
  stage.ground.draw(pen, top, bottom);
  const seen = world.walkers
    .filter(({ y }) => y > top - LABEL_HEIGHT && y < bottom + reach)
    .sort((a, b) => a.y - b.y);
  for (const walker of seen) creature(pen, stage, walker);
  for (const walker of seen) tag(pen, stage, walker);
  for (const [id, current] of ongoing) {
    if (world.time - current.since > REACTION_SECONDS[current.reaction]) ongoing.delete(id);
    else {
      const walker = world.find(id);
      if (walker) happening(pen, stage, walker, current);
    }
  }
  if (!stage.still) motes(pen, stage, top, viewHeight);
}
