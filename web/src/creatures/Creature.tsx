import { createElement, memo, type ReactElement, useId, useMemo } from "react";
import { createAppearance } from "./appearance";
import { composeDrawing } from "./drawing";
import type { Mood } from "./faces";
import type { Shape } from "./shapes";

/** Convert SVG attribute names such as `stroke-width` to React's `strokeWidth`. */
function reactName(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function elementOf({ tag, attributes, children }: Shape, key: number): ReactElement {
  const props = Object.fromEntries(Object.entries(attributes).map(([k, v]) => [reactName(k), v]));
  return createElement(tag, { key, ...props }, ...children.map(elementOf));
}

type CreatureProps = {
  seed: string;
  size: number;
  mood?: Mood;
  /** The label for screen readers. Without it, the creature is decoration. */
  label?: string;
  className?: string;
};

/** The creature that belongs to a seed. */
export const Creature = memo(function Creature({
  seed,
  size,
  mood = "awake",
  label,
  className,
}: CreatureProps) {
  const id = useId();
  const drawing = useMemo(
    () =>
      elementOf(
        composeDrawing(createAppearance(seed), { mood, name: `creature${id.replace(/\W/g, "")}` }),
        0,
      ),
    [seed, mood, id],
  );
  return (
    <svg
      className={className}
      width={size}
      height={size}
      viewBox="0 0 120 120"
      overflow="visible"
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
      focusable="false"
    >
      {drawing}
    </svg>
  );
});
