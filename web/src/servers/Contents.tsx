/** The content of a result of a tool or a prompt: text, images, data. */

import type { Content } from "../api/servers";
import { CopyButton } from "../design/CopyButton";
import { Scrollable } from "../design/Scrollable";
import { Markdown } from "./Markdown";

/** Image types that cannot run scripts in an `img` element. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"]);

function Picture({ content, label }: { content: Content; label: string }) {
  return (
    <img
      className="answer-picture"
      src={`data:${content.mimeType};base64,${content.data}`}
      alt={`Answered by ${label}`}
    />
  );
}

function Piece({ content, label }: { content: Content; label: string }) {
  const { type, text, mimeType = "", resource } = content;
  if (type === "text") return <Markdown text={text ?? ""} />;
  if (type === "image" && PICTURES.has(mimeType))
    return <Picture content={content} label={label} />;
  if (type === "resource_link") return <code>{content.uri}</code>;
  if (type === "resource" && resource)
    return (
      <>
        <code>{resource.uri}</code>
        {resource.text !== undefined && <pre className="answer-code">{resource.text}</pre>}
      </>
    );
  return (
    <p className="soft">
      Something of the kind {type}
      {mimeType && ` (${mimeType})`}, which is not shown here.
    </p>
  );
}

export function Contents({ contents, label }: { contents: Content[]; label: string }) {
  return contents.map((content, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: an answer does not change
    <Piece key={index} content={content} label={label} />
  ));
}

export function Data({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <details className="answer-data">
      <summary>As data</summary>
      <Scrollable className="answer-code code" label="The answer as data">
        {text}
      </Scrollable>
      <CopyButton small text={text} label="Copy data" />
    </details>
  );
}
