/** The routes of the app. Every page except the zoo is loaded on first use. */

import { Navigate, type RouteObject } from "react-router";
import { ZooPage } from "./meadow/ZooPage";
import { ErrorPage } from "./shell/ErrorPage";
import { Shell } from "./shell/Shell";
import { AccessGate } from "./signIn/AccessGate";

export const routes: RouteObject[] = [
  {
    element: (
      <AccessGate>
        <Shell />
      </AccessGate>
    ),
    errorElement: <ErrorPage />,
    // Shown while a direct link loads the code of its page.
    hydrateFallbackElement: <div />,
    children: [
      { index: true, element: <ZooPage /> },
      {
        path: "agent/:id",
        lazy: async () => ({ Component: (await import("./agent/AgentLayout")).AgentLayout }),
        children: [
          {
            index: true,
            lazy: async () => ({ Component: (await import("./agent/Overview")).Overview }),
          },
          {
            path: "soul",
            lazy: async () => ({ Component: (await import("./soul/SoulPage")).SoulPage }),
          },
          {
            path: "skills",
            lazy: async () => ({ Component: (await import("./skills/SkillsPage")).SkillsPage }),
          },
          {
            path: "brain",
            lazy: async () => ({ Component: (await import("./brain/BrainPage")).BrainPage }),
          },
          {
            path: "injected",
            lazy: async () => ({
              Component: (await import("./injected/InjectedPage")).InjectedPage,
            }),
          },
          { path: "*", element: <Navigate to=".." replace relative="path" /> },
        ],
      },
      {
        path: "start",
        lazy: async () => ({ Component: (await import("./start/StartPage")).StartPage }),
      },
      {
        path: "servers",
        lazy: async () => ({ Component: (await import("./servers/ServersPage")).ServersPage }),
      },
      {
        path: "servers/:name",
        lazy: async () => ({ Component: (await import("./servers/ServerPage")).ServerPage }),
      },
      { path: "*", element: <Navigate to="/" replace /> },
    ],
  },
];
