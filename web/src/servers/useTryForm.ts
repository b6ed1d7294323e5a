/**
 * State of a form that calls a tool: it can be sent and cancelled, and keeps its values after the
 * page closes.
 */

import { useMutation } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { useDraft } from "../design/drafts";
import { buildArguments, type FormField, getInitialValues } from "./fields";

type Send<T> = (values: Record<string, unknown>, signal: AbortSignal) => Promise<T>;

export function useTryForm<T>(name: string, fields: FormField[], send: Send<T>) {
  const initial = useMemo(() => getInitialValues(fields), [fields]);
  const draft = useDraft(name, initial);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const stopper = useRef<AbortController | null>(null);
  useEffect(() => () => stopper.current?.abort(), []);

  const sent = useMutation({
    mutationFn: (values: Record<string, unknown>) => {
      stopper.current = new AbortController();
      return send(values, stopper.current.signal);
    },
  });

  const run = () => {
    if (sent.isPending) return;
    const found = buildArguments(fields, draft.value);
    setProblems(found.problems);
    if (Object.keys(found.problems).length === 0) sent.mutate(found.values);
  };

  const stop = () => {
    stopper.current?.abort();
    sent.reset();
  };

  return { draft, problems, sent, run, stop };
}
