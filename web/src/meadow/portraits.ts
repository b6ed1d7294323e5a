/** Creatures and name tags as images that can be drawn many times per second. */

import { DRAWING_SIZE, portraitFile } from "../creatures/drawing";
import type { Mood } from "../creatures/faces";
import type { Palette } from "./palette";

type Picture = ImageBitmap | HTMLImageElement;

/** Margin around the square of a creature, for ears and tails that extend beyond it. */
export const PORTRAIT_MARGIN = 1.35;
const AT_ONCE = 6;

async function paint(seed: string, mood: Mood, pixels: number): Promise<Picture> {
  const around = (DRAWING_SIZE * (PORTRAIT_MARGIN - 1)) / 2;
  const file = portraitFile(seed, mood, pixels).replace(
    `viewBox="0 0 ${DRAWING_SIZE} ${DRAWING_SIZE}"`,
    `viewBox="${-around} ${-around} ${DRAWING_SIZE * PORTRAIT_MARGIN} ${DRAWING_SIZE * PORTRAIT_MARGIN}"`,
  );
  const image = new Image(pixels, pixels);
  image.src = `data:image/svg+xml,${encodeURIComponent(file)}`;
  await image.decode();
  return createImageBitmap(image);
}

/** Images by seed and mood. A missing image is requested and appears in a later frame. */
export class Portraits {
  private readonly ready = new Map<string, Picture | null>();
  private readonly waiting: string[] = [];
  private busy = 0;
  private readonly pixels: number;
  private readonly onReady: () => void;

  constructor(pixels: number, onReady: () => void) {
    this.pixels = pixels;
    this.onReady = onReady;
  }

  get(seed: string, mood: Mood): Picture | null {
    const key = `${mood} ${seed}`;
    const found = this.ready.get(key);
    if (found !== undefined) return found;
    this.ready.set(key, null);
    this.waiting.push(key);
    this.work();
    return null;
  }

  private work() {
    while (this.busy < AT_ONCE) {
      const key = this.waiting.shift();
      if (key === undefined) return;
      this.busy += 1;
      const space = key.indexOf(" ");
      paint(key.slice(space + 1), key.slice(0, space) as Mood, this.pixels)
        .then((picture) => this.ready.set(key, picture))
        // If the browser cannot create the image, the placeholder stays.
        .catch(() => undefined)
        .finally(() => {
          this.busy -= 1;
          this.onReady();
          this.work();
        });
    }
  }
}

export type Tag = { image: HTMLCanvasElement; width: number; height: number };

const FONT = '700 12.5px "Nunito Variable", sans-serif';

function shortened(pen: CanvasRenderingContext2D, text: string, width: number): string {
  if (pen.measureText(text).width <= width) return text;
  const letters = [...text].slice(0, 40);
  while (letters.length > 1 && pen.measureText(`${letters.join("")}…`).width > width) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}

/** Name tags by name, as wide as the name and at most as wide as a creature's box. */
export class Tags {
  private readonly made = new Map<string, Tag>();
  private readonly width: number;
  private readonly scale: number;
  private readonly palette: Palette;

  constructor(width: number, scale: number, palette: Palette) {
    this.width = width;
    this.scale = scale;
    this.palette = palette;
  }

  get(name: string): Tag {
    const known = this.made.get(name);
    if (known) return known;
    const tag = this.make(name);
    this.made.set(name, tag);
    return tag;
  }

  private make(name: string): Tag {
    const { palette, scale } = this;
    const image = document.createElement("canvas");
    const pen = image.getContext("2d");
    if (!pen) return { image, width: 0, height: 0 };
    pen.font = FONT;
    const text = shortened(pen, name.slice(0, 200).replace(/\s+/g, " "), this.width - 18);
    const width = Math.min(Math.ceil(pen.measureText(text).width) + 16, this.width - 2);
    const height = 19;
    image.width = width * scale;
    image.height = height * scale;
    pen.scale(scale, scale);
    pen.beginPath();
    pen.roundRect(0.75, 0.75, width - 1.5, height - 1.5, 9);
    pen.fillStyle = palette.tag;
    pen.fill();
    pen.strokeStyle = palette.tagLine;
    pen.lineWidth = 1.2;
    pen.stroke();
    pen.font = FONT;
    pen.fillStyle = palette.tagInk;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(text, width / 2, height / 2 + 0.5);
    return { image, width, height };
  }
}
