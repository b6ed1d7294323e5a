import { LoaderCircle, Play, Square } from "lucide-react";
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { Button } from "../design/Button";
import { ArgumentField } from "./ArgumentField";
import type { FormField } from "./fields";
import { useTryForm } from "./useTryForm";

type Props<T> = {
  /** The name of the draft that keeps the typed values. */
  name: string;
  /** The label of the button. */
  verb: string;
  fields: FormField[];
  send: (values: Record<string, unknown>, signal: AbortSignal) => Promise<T>;
  children: (answer: T) => ReactNode;
};

/** Try a tool or a prompt: a form for its arguments, and below it the result. */
export function TryForm<T>({ name, verb, fields, send, children }: Props<T>) {
  const { draft, problems, sent, run, stop } = useTryForm(name, fields, send);
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (Object.keys(problems).length > 0)
      form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [problems]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  const hurry = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  };

  return (
    <form className="trial" ref={form} onSubmit={submit} onKeyDown={hurry} noValidate>
      {fields.length === 0 && <p className="soft">It needs nothing to be filled in.</p>}
      {fields.map((field) => (
        <ArgumentField
          key={field.name}
          field={field}
          value={draft.value[field.name] ?? field.initial}
          problem={problems[field.name]}
          onChange={(value) => draft.change({ [field.name]: value })}
        />
      ))}
      <div className="row">
        {sent.isPending ? (
          <Button onClick={stop}>
            <Square size={16} /> Stop waiting
          </Button>
        ) : (
          <Button look="primary" type="submit">
            <Play size={17} /> {verb}
          </Button>
        )}
        {draft.isDirty && (
          <Button look="quiet" onClick={draft.discard}>
            Start over
          </Button>
        )}
        <span className="spring" />
        <span className="soft small trial-key">
          <kbd className="key">Ctrl</kbd> <kbd className="key">Enter</kbd>
        </span>
      </div>
      <div className="trial-answer" aria-live="polite">
        {sent.isPending && (
          <p className="soft row">
            <LoaderCircle size={18} className="turning" /> Working…
          </p>
        )}
        {sent.error && (
          <p className="notice notice-bad" role="alert">
            {sent.error.message}
          </p>
        )}
        {sent.data !== undefined && !sent.isPending && children(sent.data)}
      </div>
    </form>
  );
}
