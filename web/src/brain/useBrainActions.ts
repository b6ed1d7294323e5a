/** Actions on a brain. Each reports its own failures, and deleting can be undone. */

import { useQueryClient } from "@tanstack/react-query";
import { ConflictError } from "../api/http";
import type { BrainEntry } from "../api/model";
import { keys } from "../api/queries";
import * as zoo from "../api/zoo";
import { showFailure } from "../design/failures";
import { toast } from "../design/toasts";
import type { EntryValues } from "./EntryForm";

export function useBrainActions(agentId: string) {
  const client = useQueryClient();

  const attempt = async (change: () => Promise<unknown>): Promise<boolean> => {
    try {
      await change();
      return true;
    } catch (error) {
      showFailure(error);
      return false;
    } finally {
      void client.invalidateQueries({ queryKey: keys.brain(agentId) });
      void client.invalidateQueries({ queryKey: keys.preview(agentId) });
    }
  };

  return {
    add: (values: EntryValues) => attempt(() => zoo.createEntry(agentId, values)),
    /** Returns the entry as edited elsewhere in a conflict; nothing is saved then. */
    edit: async (entry: BrainEntry, values: EntryValues) => {
      let theirs: BrainEntry | null = null;
      const saved = await attempt(() =>
        zoo.changeEntry(agentId, entry.id, values, entry.version).catch((error: unknown) => {
          if (error instanceof ConflictError) theirs = error.current as BrainEntry;
          throw error;
        }),
      );
      return { saved, theirs: theirs as BrainEntry | null };
    },
    pin: (entry: BrainEntry) => attempt(() => zoo.pinEntry(agentId, entry.id, !entry.pinned)),
    remove: async (entry: BrainEntry) => {
      if (!(await attempt(() => zoo.deleteEntry(agentId, entry.id)))) return;
      toast("The entry is in the bin.", {
        milliseconds: 12_000,
        action: {
          label: "Undo",
          run: () => void attempt(() => zoo.restoreEntry(agentId, entry.id)),
        },
      });
    },
  };
}
