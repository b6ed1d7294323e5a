/** Lets any page open the shell's dialog for a new agent. */

import { createContext, useContext } from "react";

export const NewAgentContext = createContext<() => void>(() => undefined);

export function useNewAgent(): () => void {
  return useContext(NewAgentContext);
}
