/** Lets any page open the dialog for a new agent, which the shell holds. */

import { createContext, useContext } from "react";

export const NewAgentContext = createContext<() => void>(() => undefined);

export function useNewAgent(): () => void {
  return useContext(NewAgentContext);
}
