/** Which address shows which page. What is not needed for the zoo is loaded when it is gone to. */

import { Navigate, type RouteObject } from "react-router";
import { ErrorPage } from "./shell/ErrorPage";
import { Shell } from "./shell/Shell";
import { ZooPage } from "./zoo/ZooPage";

export const routes: RouteObject[] = [
  {
    element: <Shell />,
    errorElement: <ErrorPage />,
    // Shown while a direct link loads the code of its page.
    hydrateFallbackElement: <div />,
    children: [
      { index: true, element: <ZooPage /> },
      { path: "*", element: <Navigate to="/" replace /> },
    ],
  },
];
