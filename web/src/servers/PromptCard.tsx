import { ChevronDown, MessageSquareText } from "lucide-react";
import { useCallback, useMemo } from "react";
import { getPrompt, type PromptAnswer, type PromptInfo } from "../api/servers";
import { CopyButton } from "../design/CopyButton";
import { Contents } from "./Contents";
import { createPromptFields } from "./fields";
import { TryForm } from "./TryForm";

function Messages({ answer, label }: { answer: PromptAnswer; label: string }) {
  const messages = answer.messages.map(({ role, content }, index) => ({
    key: `${index}`,
    role,
    contents: Array.isArray(content) ? content : [content],
  }));
  const text = messages.flatMap(({ contents }) => contents.map((one) => one.text ?? "")).join("\n");
  return (
    <section className="answer" aria-label={`What ${label} says`}>
      <p className="row small">
        <strong>What a client gives to its model</strong>
        <span className="spring" />
        <CopyButton small text={text} />
      </p>
      {messages.map(({ key, role, contents }) => (
        <div key={key} className="stack-small">
          <span className="chip">{role}</span>
          <Contents contents={contents} label={label} />
        </div>
      ))}
    </section>
  );
}

type Props = { server: string; prompt: PromptInfo; open: boolean; onToggle: () => void };

/** A prompt with its description and, when it is open, a form for its arguments. */
export function PromptCard({ server, prompt, open, onToggle }: Props) {
  const { name, title, description } = prompt;
  const fields = useMemo(() => createPromptFields(prompt.arguments), [prompt.arguments]);
  const send = useCallback(
    (values: Record<string, unknown>, signal: AbortSignal) =>
      getPrompt(server, name, values, signal),
    [server, name],
  );
  return (
    <li className="card item" data-open={open}>
      <h3>
        <button type="button" className="item-head" aria-expanded={open} onClick={onToggle}>
          <MessageSquareText size={18} aria-hidden="true" />
          <span className="item-name">{title || name}</span>
          <ChevronDown size={20} className="item-arrow" aria-hidden="true" />
        </button>
      </h3>
      {description && <p className="soft item-blurb">{description}</p>}
      {open && (
        <TryForm name={`prompt:${server}/${name}`} verb="Show it" fields={fields} send={send}>
          {(answer) => <Messages answer={answer} label={title || name} />}
        </TryForm>
      )}
    </li>
  );
}
