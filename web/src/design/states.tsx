/** Placeholders for pages that have no content yet or cannot load it. */

import { RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { Creature } from "../creatures/Creature";
import { Button } from "./Button";

type StateProps = { title: string; children?: ReactNode; actions?: ReactNode; seed?: string };

export function EmptyState({ title, children, actions, seed = "an empty place" }: StateProps) {
  return (
    <div className="state">
      <Creature seed={seed} size={96} />
      <h2>{title}</h2>
      {children && <div className="soft">{children}</div>}
      {actions && <div className="state-actions">{actions}</div>}
    </div>
  );
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div className="state" role="alert">
      <Creature seed="something went wrong" size={96} mood="asleep" />
      <h2>This could not be loaded</h2>
      <p className="soft">{error instanceof Error ? error.message : String(error)}</p>
      <div className="state-actions">
        <Button onClick={onRetry}>
          <RotateCw size={18} /> Try again
        </Button>
      </div>
    </div>
  );
}

/** Grey placeholders for content that is being loaded. */
export function Skeleton({
  height,
  width = "100%",
}: {
  height: number | string;
  width?: number | string;
}) {
  return <div className="skeleton" style={{ height, width }} aria-hidden="true" />;
}

export function LoadingState({ label = "Loading", rows = 3 }: { label?: string; rows?: number }) {
  const shapes = Array.from({ length: rows }, (_, row) => `row ${row}`);
  return (
    <div style={{ display: "grid", gap: "var(--space-4)" }} role="status" aria-label={label}>
      {shapes.map((shape) => (
        <Skeleton key={shape} height="5rem" />
      ))}
    </div>
  );
}
