import { useEffect } from "react";
import { isRouteErrorResponse, useNavigate, useRouteError } from "react-router";
import { Creature } from "../creatures/Creature";
import { Button } from "../design/Button";
import { useThemeOnPage } from "../design/theme";

/** Shown instead of a page that failed to render. */
export function ErrorPage() {
  useThemeOnPage();
  const error = useRouteError();
  const navigate = useNavigate();
  useEffect(() => {
    document.title = "Something broke · Paddock";
  }, []);
  const text = isRouteErrorResponse(error)
    ? error.statusText
    : error instanceof Error
      ? error.message
      : String(error);
  return (
    <main className="state" role="alert">
      <Creature seed="something went wrong" size={120} mood="asleep" />
      <h1>Something broke here</h1>
      <p className="soft">{text}</p>
      <p className="soft">Nothing that you have typed is lost: drafts are kept in this browser.</p>
      <div className="state-actions">
        <Button look="primary" onClick={() => window.location.reload()}>
          Load the page again
        </Button>
        <Button onClick={() => void navigate("/")}>To the zoo</Button>
      </div>
    </main>
  );
}
