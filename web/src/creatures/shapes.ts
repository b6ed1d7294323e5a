/** SVG elements as data, so that one drawing serves the page (React) and the meadow (an image). */

export type Attributes = Record<string, string | number>;

export type Shape = {
  tag: "path" | "circle" | "ellipse" | "rect" | "g" | "clipPath" | "defs";
  attributes: Attributes;
  children: Shape[];
};

export function path(d: string, attributes: Attributes): Shape {
  return { tag: "path", attributes: { d, ...attributes }, children: [] };
}

export function circle(cx: number, cy: number, r: number, attributes: Attributes): Shape {
  return { tag: "circle", attributes: { cx, cy, r, ...attributes }, children: [] };
}

export function oval(
  cx: number,
  cy: number,
  rx: number,
  ry: number,
  attributes: Attributes,
): Shape {
  return { tag: "ellipse", attributes: { cx, cy, rx, ry, ...attributes }, children: [] };
}

export function group(attributes: Attributes, children: Shape[]): Shape {
  return { tag: "g", attributes, children };
}

export function clip(id: string, children: Shape[]): Shape {
  return { tag: "clipPath", attributes: { id }, children };
}

/** A line with round ends and no filling. */
export function line(d: string, stroke: string, width: number): Shape {
  return path(d, {
    fill: "none",
    stroke,
    "stroke-width": width,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  });
}

/** The same shape on the other side of the middle line of the drawing. */
export function mirrored(shapes: Shape[]): Shape {
  return group({ transform: "matrix(-1 0 0 1 120 0)" }, shapes);
}

/** Both sides: as drawn, and mirrored. */
export function pair(shapes: Shape[]): Shape[] {
  return [...shapes, mirrored(shapes)];
}

function escaped(value: string | number): string {
  return String(value).replace(/[&<"]/g, (found) => `&#${found.charCodeAt(0)};`);
}

export function markupOf({ tag, attributes, children }: Shape): string {
  const written = Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join("");
  return `<${tag}${written}>${children.map(markupOf).join("")}</${tag}>`;
}
