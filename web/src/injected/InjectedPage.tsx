import { AlertTriangle } from "lucide-react";
import { useId, useState } from "react";
import { useThisAgent } from "../agent/AgentLayout";
import { useAgentActions } from "../agent/useAgentActions";
import type { Injection, Section } from "../api/model";
import { usePreview } from "../api/queries";
import { CopyButton } from "../design/CopyButton";
import { formatCount } from "../design/format";
import { Scrollable } from "../design/Scrollable";
import { Switch } from "../design/Switch";
import { ErrorState, LoadingState } from "../design/states";
import { useTitle } from "../shell/PageTitle";
import { SizeBar } from "./SizeBar";

function SectionCard({ section }: { section: Section }) {
  const { kind, title, text, characters, tokens } = section;
  return (
    <section className="card injected-section" data-kind={kind}>
      <div className="injected-section-head">
        <h3>
          <span className="size-dot" data-kind={kind} /> {title}
        </h3>
        <span className="soft small">
          {formatCount(characters, "character")}, about {formatCount(tokens, "token")}
        </span>
        <CopyButton small text={text} />
      </div>
      <Scrollable className="code injected-text" label={title}>
        {text}
      </Scrollable>
    </section>
  );
}

function Whole({ injection }: { injection: Injection }) {
  return (
    <div className="card stack">
      <div className="row">
        <h2>About {formatCount(injection.tokens, "token")}</h2>
        <span className="spring" />
        <CopyButton text={injection.prompt} label="Copy everything" />
      </div>
      <SizeBar sections={injection.sections} />
      {injection.warnings.map((warning) => (
        <p key={warning} className="notice">
          <AlertTriangle size={18} />
          <span className="notice-text">{warning}</span>
        </p>
      ))}
    </div>
  );
}

/** The exact prompt that a model receives from this agent, section by section. */
export function InjectedPage() {
  const agent = useThisAgent();
  useTitle(`What is injected of ${agent.name}`);
  const { change } = useAgentActions(agent);
  const [budget, setBudget] = useState("");
  const tokens = Number.parseInt(budget, 10);
  const options = Number.isFinite(tokens) && tokens > 0 ? { budget: tokens } : {};
  const { data, error, refetch, isPlaceholderData } = usePreview(agent.id, options);
  const switchId = useId();
  const budgetId = useId();
  return (
    <div className="stack" aria-busy={isPlaceholderData}>
      <div className="row injected-options">
        <Switch
          id={switchId}
          checked={agent.injectsMemory}
          onChange={(injectsMemory) => void change({ injectsMemory })}
        />
        <label htmlFor={switchId}>Memory is injected too</label>
        <span className="spring" />
        <label htmlFor={budgetId}>Try a budget for memory</label>
        <input
          id={budgetId}
          className="input injected-budget"
          type="number"
          min={1}
          step={100}
          placeholder="default"
          value={budget}
          onChange={(event) => setBudget(event.target.value)}
        />
      </div>
      {data ? (
        <>
          <Whole injection={data} />
          {data.sections.map((section) => (
            <SectionCard key={`${section.kind} ${section.title}`} section={section} />
          ))}
        </>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingState label="Loading what is injected" />
      )}
    </div>
  );
}
