/** Renders a subset of Markdown in a tool's description as elements, and never as HTML. */

import type { ReactNode } from "react";

const PIECE = /(`[^`\n]+`|\*\*[^*\n]+\*\*)/;

function inline(text: string): ReactNode[] {
  return text.split(PIECE).map((piece, index) => {
    const key = `${index}`;
    if (piece.startsWith("`") && piece.length > 2)
      return <code key={key}>{piece.slice(1, -1)}</code>;
    if (piece.startsWith("**") && piece.length > 4)
      return <strong key={key}>{piece.slice(2, -2)}</strong>;
    return piece;
  });
}

type Block = { kind: "code" | "heading" | "list" | "text"; lines: string[] };

const FENCE = /^\s*(```|~~~)/;
const HEADING = /^#{1,6}\s+/;
const BULLET = /^\s*[-*]\s+/;

function kindOf(line: string): Block["kind"] {
  if (HEADING.test(line)) return "heading";
  return BULLET.test(line) ? "list" : "text";
}

export function parseBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  const begin = (kind: Block["kind"]): Block => {
    const block: Block = { kind, lines: [] };
    blocks.push(block);
    return block;
  };
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) {
      open = open?.kind === "code" ? undefined : begin("code");
    } else if (open?.kind === "code") {
      open.lines.push(line);
    } else if (line.trim() === "") {
      open = undefined;
    } else {
      const kind = kindOf(line);
      if (open?.kind !== kind || kind === "heading") open = begin(kind);
      open.lines.push(line);
    }
  }
  return blocks;
}

function Part({ kind, lines }: Block) {
  const text = lines.join("\n");
  if (kind === "code") return <pre className="answer-code">{text}</pre>;
  if (kind === "heading")
    return <p className="answer-heading">{inline(text.replace(HEADING, ""))}</p>;
  if (kind === "text") return <p className="answer-text">{inline(text)}</p>;
  return (
    <ul className="answer-list">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and stay in order
        <li key={index}>{inline(line.replace(BULLET, ""))}</li>
      ))}
    </ul>
  );
}

export function Markdown({ text }: { text: string }) {
  return parseBlocks(text).map((block, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    <Part key={index} {...block} />
  ));
}
