/**
 * SVG elements as data, so that React (on pages) and the meadow (as an image) share one drawing.
 */

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

/** A stroke with round ends and no fill. */
export function line(d: string, stroke: string, width: number): Shape {
  return path(d, {
    fill: "none",
    stroke,
    "stroke-width": width,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  });
}

/** Mirror a shape at the middle line of the drawing. */
export function mirrorShapes(shapes: Shape[]): Shape {
  return group({ transform: "matrix(-1 0 0 1 120 0)" }, shapes);
}

/** Return shapes together with their mirror images. */
export function pair(shapes: Shape[]): Shape[] {
  return [...shapes, mirrorShapes(shapes)];
}

function escaped(value: string | number): string {
  return String(value).replace(/[&<"]/g, (found) => `&#${found.charCodeAt(0)};`);
}

export function renderMarkup({ tag, attributes, children }: Shape): string {
  const written = Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join("");
  return `<${tag}${written}>${children.map(renderMarkup).join("")}</${tag}>`;
}
