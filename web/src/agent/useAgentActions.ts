/** Actions on an agent. Each reports its own failures, and deleting can be undone. */

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import type { Agent, AgentChanges } from "../api/model";
import { keys, rememberAgent } from "../api/queries";
import { ClashError, saveChanges } from "../api/saveAgent";
import * as zoo from "../api/zoo";
import { showFailure } from "../design/failures";
import { toast } from "../design/toasts";

export function getAgentPath(id: string): string {
  return `/agent/${encodeURIComponent(id)}`;
}

export function useAgentActions(agent: Agent) {
  const client = useQueryClient();
  const navigate = useNavigate();

  const listChanged = () => client.invalidateQueries({ queryKey: keys.allSummaries });

  /** Save single fields. Return true on success. */
  const change = async (changes: AgentChanges): Promise<boolean> => {
    try {
      const saved = await saveChanges(agent, changes);
      rememberAgent(client, saved.agent);
      return true;
    } catch (error) {
      if (error instanceof ClashError) {
        rememberAgent(client, error.current);
        toast("This was just edited elsewhere. The current version is shown; try again.", {
          bad: true,
        });
      } else showFailure(error);
      return false;
    }
  };

  const restore = async () => {
    try {
      const restored = await zoo.restoreAgent(agent.id);
      rememberAgent(client, restored);
      await listChanged();
      await navigate(getAgentPath(restored.id));
    } catch (error) {
      showFailure(error);
    }
  };

  const remove = async () => {
    try {
      await zoo.deleteAgent(agent.id);
      await navigate("/");
      client.removeQueries({ queryKey: keys.agent(agent.id) });
      await listChanged();
      toast(`${agent.name} is in the bin.`, {
        milliseconds: 12_000,
        action: { label: "Undo", run: () => void restore() },
      });
    } catch (error) {
      showFailure(error);
    }
  };

  const duplicate = async () => {
    try {
      const copy = await zoo.duplicateAgent(agent.id);
      await listChanged();
      await navigate(getAgentPath(copy.id));
      toast(`This is ${copy.name}.`);
    } catch (error) {
      showFailure(error);
    }
  };

  const archive = async (archived: boolean) => {
    if (!(await change({ archived }))) return;
    await listChanged();
    toast(archived ? `${agent.name} is archived.` : `${agent.name} is back in the meadow.`, {
      action: { label: "Undo", run: () => void change({ archived: !archived }).then(listChanged) },
    });
  };

  return { change, remove, duplicate, archive };
}
