import { lazy, type ReactNode, Suspense } from "react";
import { useHealth } from "../api/queries";
import { LoadingState } from "../design/states";

const SignInPage = lazy(async () => ({ default: (await import("./SignInPage")).SignInPage }));

/** Shows the app to users with access, and the sign-in page to all others. */
export function AccessGate({ children }: { children: ReactNode }) {
  const { data } = useHealth();
  if (!data?.needsSignIn) return children;
  return (
    <Suspense fallback={<LoadingState />}>
      <SignInPage isTeam={data.isTeam} />
    </Suspense>
  );
}
