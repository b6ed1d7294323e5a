/** A form that is filled in, sent, and can be stopped; what was typed outlives the page. */

import { useMutation } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { useDraft } from "../design/drafts";
import { argumentsOf, type FormField, initialOf } from "./fields";

type Send<T> = (values: Record<string, unknown>, signal: AbortSignal) => Promise<T>;

export function useTrial<T>(name: string, fields: FormField[], send: Send<T>) {
  const initial = useMemo(() => initialOf(fields), [fields]);
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
    const found = argumentsOf(fields, draft.value);
    setProblems(found.problems);
    if (Object.keys(found.problems).length === 0) sent.mutate(found.values);
  };

  const stop = () => {
    stopper.current?.abort();
    sent.reset();
  };

  return { draft, problems, sent, run, stop };
}
