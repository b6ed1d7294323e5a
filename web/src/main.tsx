import { QueryClientProvider } from "@tanstack/react-query";
import { Tooltip } from "radix-ui";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter, RouterProvider } from "react-router";
import { startEvents } from "./api/events";
import { invalidateOnEvents, makeQueryClient } from "./api/queries";
import { Toasts } from "./design/toasts";
import { routes } from "./routes";
import "./design/tokens.css";
import "./design/base.css";
import "./design/layout.css";
import "./design/controls.css";
import "./design/surfaces.css";
import "./shell/shell.css";
import "./meadow/meadow.css";

const client = makeQueryClient();
invalidateOnEvents(client);
startEvents();

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element #root.");

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Tooltip.Provider delayDuration={400}>
        <RouterProvider router={createBrowserRouter(routes)} />
        <Toasts />
      </Tooltip.Provider>
    </QueryClientProvider>
  </StrictMode>,
);
