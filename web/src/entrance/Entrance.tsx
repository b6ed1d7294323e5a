import { lazy, type ReactNode, Suspense } from "react";
import { useHealth } from "../api/queries";
import { LoadingState } from "../design/states";

const SignInPage = lazy(async () => ({ default: (await import("./SignInPage")).SignInPage }));

/** Shows the app to those who may see it, and a way to sign in to the others. */
export function Entrance({ children }: { children: ReactNode }) {
  const { data } = useHealth();
  if (!data?.needsSignIn) return children;
  return (
    <Suspense fallback={<LoadingState />}>
      <SignInPage isTeam={data.isTeam} />
    </Suspense>
  );
}
