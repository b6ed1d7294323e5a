import { Check, PawPrint } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link, useNavigate } from "react-router";
import { Button, buttonClass } from "../design/Button";
import { LoadingState } from "../design/states";
import { ClientChooser } from "../servers/ClientChooser";
import { PageTitle } from "../shell/PageTitle";
import { FirstCall } from "./FirstCall";
import { STEPS, type Step, useProgress, ZOO_ADDRESS, ZOO_SERVER } from "./progress";
import { Starters } from "./Starters";
import "../servers/servers.css";
import "./start.css";

const TITLES: Record<Step, [string, string]> = {
  agent: [
    "Choose who moves in",
    "An agent is a soul, some skills and a memory. Begin with one of these.",
  ],
  client: [
    "Connect your editor or chat",
    "It gets a server called AgentZoo. You see the change first.",
  ],
  call: ["Call your agent", "The light turns green as soon as your client calls."],
};

type StepProps = {
  step: Step;
  done: boolean;
  open: boolean;
  onOpen: () => void;
  children: ReactNode;
};

function StepCard({ step, done, open, onOpen, children }: StepProps) {
  const [title, hint] = TITLES[step];
  return (
    <li className="card step" data-open={open} data-done={done}>
      <h2>
        <button type="button" className="step-head" aria-expanded={open} onClick={onOpen}>
          <span className="step-number" aria-hidden="true">
            {done ? <Check size={20} /> : STEPS.indexOf(step) + 1}
          </span>
          <span>
            {title}
            {done && <span className="hidden-text"> (done)</span>}
          </span>
        </button>
      </h2>
      {open && (
        <div className="stack step-body">
          <p className="soft">{hint}</p>
          {children}
        </div>
      )}
    </li>
  );
}

/** A guide to the first agent in an editor. Completed steps are detected, so users can return at any time. */
export function StartPage() {
  const { done, next, isKnown, isOffered, dismiss: sendAway } = useProgress();
  const [picked, setPicked] = useState<Step | null | "none">(null);
  const navigate = useNavigate();
  const open = picked ?? next;
  const card = (step: Step, children: ReactNode) => (
    <StepCard
      step={step}
      done={done[step]}
      open={open === step}
      onOpen={() => setPicked(open === step ? "none" : step)}
    >
      {children}
    </StepCard>
  );
  const dismiss = () => {
    sendAway();
    void navigate("/");
  };
  return (
    <div className="page start">
      <header>
        <PageTitle title="First steps">
          {next || !isKnown ? "First steps" : "You are all set"}
        </PageTitle>
        <p className="soft">
          {next || !isKnown
            ? "From nothing to an agent in your editor, in three steps. Leave whenever you like; this page knows how far you are."
            : "Your agent answers in your client. Whatever it does shows in the zoo."}
        </p>
      </header>
      {!isKnown && <LoadingState label="Looking how far you are" />}
      <ol className="steps" hidden={!isKnown}>
        {card("agent", <Starters />)}
        {card(
          "client",
          <ClientChooser
            server={ZOO_SERVER}
            address={ZOO_ADDRESS}
            onInstalled={() => setPicked(null)}
          />,
        )}
        {card("call", <FirstCall heard={done.call} />)}
      </ol>
      <div className="row">
        <Link className={buttonClass({ look: next ? "plain" : "primary" })} to="/">
          <PawPrint size={18} /> To the zoo
        </Link>
        {isOffered && (
          <Button look="quiet" onClick={dismiss}>
            I know my way, do not show this any more
          </Button>
        )}
      </div>
    </div>
  );
}
