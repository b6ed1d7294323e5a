import { createElement, memo, type ReactElement, useId, useMemo } from "react";
import { drawingOf } from "./drawing";
import type { Mood } from "./faces";
import { lookOf } from "./look";
import type { Shape } from "./shapes";

/** SVG writes `stroke-width`, React `strokeWidth`. */
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
  /** Said by screen readers; without it the creature is decoration. */
  label?: string;
  className?: string;
};

/** The creature of a seed. */
export const Creature = memo(function Creature({
  seed,
  size,
  mood = "awake",
  label,
  className,
}: CreatureProps) {
  const id = useId();
  const drawing = useMemo(
    () => elementOf(drawingOf(lookOf(seed), { mood, name: `creature${id.replace(/\W/g, "")}` }), 0),
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
