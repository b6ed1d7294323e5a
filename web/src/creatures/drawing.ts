/** Compose the drawing of a creature, from back to front, in a square of 120 units. */

import { extras, patterns } from "./accessories";
import { type Appearance, createAppearance } from "./appearance";
import { FRAMES } from "./bodies";
import { cheeks, eyes, type Mood, mouth } from "./faces";
import { arms, crowns, feet, tails } from "./limbs";
import { clip, group, path, renderMarkup, type Shape } from "./shapes";

export const DRAWING_SIZE = 120;
/** The height of the ground, where the feet of a creature end. */
export const GROUND = 108;

type DrawingOptions = {
  mood?: Mood;
  /** Omit the feet, because the meadow animates them itself. */
  withFeet?: boolean;
  /** Prefix of the element ids in the drawing. It must be unique on a page. */
  name: string;
};

export function composeDrawing(
  look: Appearance,
  { mood = "awake", withFeet = true, name }: DrawingOptions,
): Shape {
  const frame = FRAMES[look.body];
  const outline = `${name}-outline`;
  const [girth, height] = look.build;
  const hidden = look.extra === "cap" && ["sprout", "crest", "tuft"].includes(look.crown);
  const crown = hidden ? [] : crowns[look.crown](frame, look);
  const mouthAt = frame.face + (look.eyes === "single" ? 18 : 14);
  const stretched = `translate(60 104) scale(${girth} ${height}) translate(-60 -104)`;
  return group({}, [
    ...(withFeet ? feet(look) : []),
    group({ transform: stretched }, [
      clip(outline, [path(frame.outline, {})]),
      ...tails[look.tail](frame, look),
      ...(look.arms === "wings" ? arms.wings(frame, look) : []),
      ...crown,
      path(frame.outline, { fill: look.colours.coat }),
      group({ "clip-path": `url(#${outline})` }, [
        ...patterns[look.pattern](frame, look),
        path("M0 98Q60 112 120 98V120H0Z", { fill: look.colours.shade, opacity: 0.28 }),
        path("M22 62Q26 38 50 33", {
          fill: "none",
          stroke: "#fff",
          "stroke-width": 7,
          "stroke-linecap": "round",
          opacity: 0.2,
        }),
      ]),
      ...cheeks(frame.face + 11, look),
      ...mouth(mouthAt, look),
      ...eyes(frame.face, look, mood),
      ...extras[look.extra](frame, look),
      ...(look.arms === "wings" ? [] : arms[look.arms](frame, look)),
    ]),
  ]);
}

/** Return a complete SVG file, which a canvas can load as an image. */
export function portraitFile(seed: string, mood: Mood, pixels: number): string {
  const drawing = composeDrawing(createAppearance(seed), {
    mood,
    withFeet: false,
    name: "creature",
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 ${DRAWING_SIZE} ${DRAWING_SIZE}">${renderMarkup(drawing)}</svg>`;
}
