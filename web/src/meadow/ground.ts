/** Paints the parts that do not move, once for each tile of the meadow, and caches the tiles. */

import { createRandom } from "../creatures/random";
import type { MeadowMeasures } from "./meadow";
import type { Palette } from "./palette";
import type { Scenery, SceneryItem } from "./scenery";

const PIECE = 640;
const KEPT = 8;
/** Maximum distance that an item of scenery may extend beyond its position. */
const REACH = 220;

type Pen = CanvasRenderingContext2D;

function fill(pen: Pen, colour: string, draw: () => void) {
  pen.beginPath();
  draw();
  pen.fillStyle = colour;
  pen.fill();
}

function oval(pen: Pen, x: number, y: number, rx: number, ry: number, colour: string) {
  fill(pen, colour, () => pen.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI));
}

function sky(pen: Pen, { width, horizon }: MeadowMeasures, palette: Palette, night: boolean) {
  const air = pen.createLinearGradient(0, 0, 0, horizon);
  air.addColorStop(0, palette.sky[0]);
  air.addColorStop(1, palette.sky[1]);
  pen.fillStyle = air;
  pen.fillRect(0, 0, width, horizon + 4);
  const x = width * 0.82;
  const y = horizon * 0.36;
  oval(pen, x, y, horizon * 0.36, horizon * 0.36, palette.lightHalo);
  oval(pen, x, y, horizon * 0.19, horizon * 0.19, palette.light);
  if (night) stars(pen, width, horizon, palette);
  else clouds(pen, width, horizon);
}

function stars(pen: Pen, width: number, horizon: number, palette: Palette) {
  const random = createRandom("stars");
  for (let count = 0; count < width / 18; count += 1) {
    const size = random.between(0.5, 1.6);
    oval(
      pen,
      random.between(0, width),
      random.between(0, horizon * 0.7),
      size,
      size,
      palette.light,
    );
  }
}

function clouds(pen: Pen, width: number, horizon: number) {
  const random = createRandom("clouds");
  for (let x = random.between(40, 160); x < width; x += random.between(220, 420)) {
    const y = random.between(0.16, 0.46) * horizon;
    for (const [dx, dy, r] of [
      [-26, 3, 13],
      [-8, -4, 18],
      [14, -2, 15],
      [32, 4, 10],
    ] as const) {
      oval(pen, x + dx, y + dy, r * 1.25, r * 0.8, "rgb(255 255 255 / 0.75)");
    }
  }
}

function hills(pen: Pen, { width, horizon }: MeadowMeasures, palette: Palette) {
  palette.hills.forEach((colour, layer) => {
    const base = horizon * (0.62 + layer * 0.15);
    const wave = 190 + layer * 70;
    fill(pen, colour, () => {
      pen.moveTo(0, horizon + 60);
      for (let x = 0; x <= width + 12; x += 12) {
        const y =
          base -
          Math.sin(x / wave + layer * 2.1) * horizon * 0.1 -
          Math.sin(x / (wave * 0.43) + layer) * horizon * 0.04;
        pen.lineTo(x, y);
      }
      pen.lineTo(width, horizon + 60);
    });
  });
}

/** Paint the fence of a paddock between the hills and the meadow. */
function fence(pen: Pen, { width, horizon }: MeadowMeasures, palette: Palette) {
  const gap = 58;
  const high = 34;
  pen.lineCap = "round";
  for (const [rail, thick] of [
    [0.3, 6],
    [0.66, 6],
  ] as const) {
    const y = horizon + 8 - high * rail;
    for (let x = -gap / 2; x < width + gap; x += gap) {
      pen.strokeStyle = palette.woodDark;
      pen.lineWidth = thick;
      pen.beginPath();
      pen.moveTo(x, y + 2);
      pen.quadraticCurveTo(x + gap / 2, y + 5, x + gap, y + 2);
      pen.stroke();
      pen.strokeStyle = palette.wood;
      pen.lineWidth = thick - 2;
      pen.beginPath();
      pen.moveTo(x, y);
      pen.quadraticCurveTo(x + gap / 2, y + 3, x + gap, y);
      pen.stroke();
    }
  }
  for (let x = -gap / 2; x < width + gap; x += gap) {
    oval(pen, x + 2, horizon + 11, 11, 4, palette.shadow);
    fill(pen, palette.woodDark, () => pen.roundRect(x - 5, horizon + 10 - high, 11, high, 5));
    fill(pen, palette.wood, () => pen.roundRect(x - 5, horizon + 9 - high, 8, high - 1, 4));
  }
}

function pond(
  pen: Pen,
  { x, y, width, height }: Extract<SceneryItem, { kind: "pond" }>,
  palette: Palette,
) {
  const rx = width / 2;
  const ry = height / 2;
  oval(pen, x, y + 3, rx + 9, ry + 8, palette.waterEdge);
  oval(pen, x, y, rx, ry, palette.water);
  oval(pen, x - rx * 0.3, y - ry * 0.45, rx * 0.42, ry * 0.12, palette.waterShine);
  oval(pen, x + rx * 0.35, y + ry * 0.4, rx * 0.22, ry * 0.08, palette.waterShine);
  for (const [dx, dy, r] of [
    [0.42, -0.22, 0.13],
    [0.6, 0.06, 0.1],
    [-0.5, 0.34, 0.12],
  ] as const) {
    fill(pen, palette.lily, () => {
      pen.ellipse(x + dx * rx, y + dy * ry, r * rx, r * rx * 0.5, 0, 0.5, 2 * Math.PI - 0.1);
      pen.lineTo(x + dx * rx, y + dy * ry);
    });
  }
  oval(pen, x + 0.43 * rx, y - 0.27 * ry, 4, 3, palette.petals[1]);
}

function tree(
  pen: Pen,
  { x, y, height, crown }: Extract<SceneryItem, { kind: "tree" }>,
  palette: Palette,
) {
  const colour = palette.crowns[crown % palette.crowns.length] ?? palette.crowns[0];
  oval(pen, x + 6, y, height * 0.34, height * 0.09, palette.shadow);
  fill(pen, palette.woodDark, () => {
    pen.moveTo(x - 8, y + 1);
    pen.quadraticCurveTo(x - 3, y - height * 0.2, x - 4, y - height * 0.5);
    pen.lineTo(x + 5, y - height * 0.5);
    pen.quadraticCurveTo(x + 3, y - height * 0.2, x + 9, y + 1);
  });
  for (const [dx, dy, r] of [
    [-0.17, -0.47, 0.19],
    [0.18, -0.46, 0.18],
    [0.01, -0.66, 0.25],
    [0, -0.48, 0.2],
  ] as const) {
    oval(pen, x + dx * height, y + dy * height, r * height, r * height * 0.94, colour);
  }
  oval(pen, x - 0.07 * height, y - 0.74 * height, height * 0.11, height * 0.08, palette.crownLight);
}

function flowers(
  pen: Pen,
  { x, y, petal, count }: Extract<SceneryItem, { kind: "flowers" }>,
  palette: Palette,
) {
  const colour = palette.petals[petal % palette.petals.length] ?? palette.petals[0];
  for (let index = 0; index < count; index += 1) {
    // Petals around the middle, each rotated by the golden angle.
    const fx = x + Math.cos(index * 2.4) * (4 + index * 3.4);
    const fy = y + Math.sin(index * 2.4) * (3 + index * 2.2);
    for (const [dx, dy] of [
      [-2.4, 0],
      [2.4, 0],
      [0, -2.2],
      [0, 2.2],
    ] as const)
      oval(pen, fx + dx, fy + dy, 2.1, 1.9, colour);
    oval(pen, fx, fy, 1.5, 1.5, palette.glow);
  }
}

function blades(
  pen: Pen,
  { x, y, height }: Extract<SceneryItem, { kind: "grass" }>,
  palette: Palette,
) {
  pen.strokeStyle = palette.blade;
  pen.lineWidth = 2;
  pen.lineCap = "round";
  pen.beginPath();
  for (const [start, lean] of [
    [-4, -4],
    [0, 1],
    [4, 5],
  ] as const) {
    pen.moveTo(x + start, y);
    pen.quadraticCurveTo(x + start, y - height * 0.5, x + start + lean, y - height);
  }
  pen.stroke();
}

function clearing(
  pen: Pen,
  { x, y, width, height }: Extract<SceneryItem, { kind: "clearing" }>,
  palette: Palette,
) {
  pen.save();
  pen.translate(x, y);
  pen.scale(1, height / width);
  const light = pen.createRadialGradient(0, 0, width * 0.1, 0, 0, width / 2);
  light.addColorStop(0, palette.clearing);
  light.addColorStop(0.55, palette.clearing);
  light.addColorStop(1, palette.clearingEdge);
  pen.fillStyle = light;
  pen.fillRect(-width / 2, -width / 2, width, width);
  pen.restore();
}

function thingOn(pen: Pen, thing: SceneryItem, palette: Palette) {
  if (thing.kind === "clearing") clearing(pen, thing, palette);
  else if (thing.kind === "pond") pond(pen, thing, palette);
  else if (thing.kind === "tree") tree(pen, thing, palette);
  else if (thing.kind === "flowers") flowers(pen, thing, palette);
  else if (thing.kind === "grass") blades(pen, thing, palette);
  else {
    const { x, y, width } = thing;
    oval(pen, x + 2, y + 2, width / 2, width * 0.2, palette.shadow);
    oval(pen, x, y - width * 0.12, width / 2, width * 0.3, palette.stone);
    oval(pen, x - width * 0.1, y - width * 0.2, width * 0.3, width * 0.14, palette.stoneLight);
  }
}

export class Ground {
  private readonly pieces = new Map<number, HTMLCanvasElement>();
  private readonly measures: MeadowMeasures;
  private readonly scenery: Scenery;
  private readonly palette: Palette;
  private readonly night: boolean;
  private readonly scale: number;

  constructor(
    measures: MeadowMeasures,
    scenery: Scenery,
    palette: Palette,
    night: boolean,
    scale: number,
  ) {
    this.measures = measures;
    this.scenery = scenery;
    this.palette = palette;
    this.night = night;
    this.scale = scale;
  }

  /** Paint the part between two heights. The context uses the coordinates of the meadow. */
  draw(pen: Pen, top: number, bottom: number) {
    for (let index = Math.floor(top / PIECE); index * PIECE < bottom; index += 1) {
      pen.drawImage(this.piece(index), 0, index * PIECE, this.measures.width, PIECE);
    }
  }

  private piece(index: number): HTMLCanvasElement {
    const known = this.pieces.get(index);
    if (known) return known;
    const [oldest] = this.pieces.keys();
    if (this.pieces.size >= KEPT && oldest !== undefined) this.pieces.delete(oldest);
    const made = this.paint(index * PIECE);
    this.pieces.set(index, made);
    return made;
  }

  private paint(top: number): HTMLCanvasElement {
    const { measures, palette, scale } = this;
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(measures.width * scale);
    canvas.height = PIECE * scale;
    const pen = canvas.getContext("2d");
    if (!pen) return canvas;
    pen.scale(scale, scale);
    pen.translate(0, -top);
    const grass = pen.createLinearGradient(0, measures.horizon, 0, measures.height);
    grass.addColorStop(0, palette.grass[0]);
    grass.addColorStop(1, palette.grass[1]);
    pen.fillStyle = grass;
    pen.fillRect(0, top, measures.width, PIECE + 1);
    if (top <= measures.horizon + REACH) {
      sky(pen, measures, palette, this.night);
      hills(pen, measures, palette);
      pen.fillStyle = grass;
      pen.fillRect(0, measures.horizon, measures.width, REACH);
      fence(pen, measures, palette);
    }
    for (const thing of this.scenery.things) {
      if (thing.y > top - REACH && thing.y < top + PIECE + REACH) thingOn(pen, thing, palette);
    }
    return canvas;
  }
}
