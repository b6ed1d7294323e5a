import { Field } from "../design/Field";
import { Switch } from "../design/Switch";
import type { FormField } from "./fields";

type Props = {
  field: FormField;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
};

function Choice({ field, value, onChange, ...given }: Omit<Props, "problem">) {
  return (
    <select
      {...given}
      className="input"
      value={value}
      required={field.required}
      onChange={(event) => onChange(event.target.value)}
    >
      {(!field.required || value === "") && <option value="">(not given)</option>}
      {field.choices.map((choice) => {
        const written = JSON.stringify(choice);
        return (
          <option key={written} value={written}>
            {choice === true ? "yes" : choice === false ? "no" : String(choice)}
          </option>
        );
      })}
    </select>
  );
}

const ROWS: Partial<Record<FormField["kind"], number>> = { text: 3, lines: 2, json: 3 };

function Line({ field, value, onChange, ...given }: Omit<Props, "problem">) {
  const isNumber = field.kind === "number" || field.kind === "integer";
  return (
    <input
      {...given}
      className="input"
      inputMode={isNumber ? "decimal" : undefined}
      value={value}
      maxLength={field.maxLength}
      required={field.required}
      autoComplete="off"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function Control({ field, value, onChange, ...given }: Omit<Props, "problem">) {
  const rows = ROWS[field.kind];
  if (field.kind === "choice")
    return <Choice {...given} field={field} value={value} onChange={onChange} />;
  if (field.kind === "switch")
    return (
      <Switch
        {...given}
        checked={value === "true"}
        onChange={(checked) => onChange(String(checked))}
      />
    );
  if (rows === undefined)
    return <Line {...given} field={field} value={value} onChange={onChange} />;
  return (
    <textarea
      {...given}
      className={field.kind === "lines" ? "input argument-text" : "input argument-text code"}
      rows={rows}
      value={value}
      required={field.required}
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

const HINTS: Partial<Record<FormField["kind"], string>> = {
  lines: "One on each line.",
  json: "As JSON.",
};

/** One argument of a tool or a prompt. */
export function ArgumentField({ field, value, problem, onChange }: Props) {
  const hint = [field.description, HINTS[field.kind]].filter(Boolean).join(" ");
  return (
    <Field
      label={field.required ? `${field.name} (needed)` : field.name}
      hint={hint || undefined}
      problem={problem}
    >
      <Control field={field} value={value} onChange={onChange} />
    </Field>
  );
}
