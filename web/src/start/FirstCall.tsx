import { useState } from "react";
import { Link } from "react-router";
import { useSummaries } from "../api/queries";
import { Creature } from "../creatures/Creature";
import { CopyButton } from "../design/CopyButton";
import { Field } from "../design/Field";
import { StatusLight } from "../servers/StatusLight";
import { ZOO_SERVER } from "./progress";

const MOST_CHOICES = 100;

/** A text to send to the client, and whether the client has called. */
export function FirstCall({ heard }: { heard: boolean }) {
  const { data: agents = [] } = useSummaries();
  const [picked, setPicked] = useState<string | null>(null);
  const agent = agents.find(({ id }) => id === picked) ?? agents[0];
  if (!agent) return <p className="soft">First there has to be an agent.</p>;
  const words = `Use the agent zoo and become ${agent.name}.`;
  return (
    <div className="first-call">
      <Creature
        seed={agent.appearanceSeed || agent.id}
        size={120}
        mood={heard ? "happy" : "awake"}
      />
      <div className="stack-small">
        {agents.length > 1 && (
          <Field label="Who">
            <select
              className="input"
              value={agent.id}
              onChange={(event) => setPicked(event.target.value)}
            >
              {agents.slice(0, MOST_CHOICES).map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
        )}
        <p>Restart your client, then tell it:</p>
        <blockquote className="say">{words}</blockquote>
        <div className="row">
          <CopyButton text={words} />
          <Link to={`/agent/${encodeURIComponent(agent.id)}/injected`}>See what it will get</Link>
        </div>
        {heard ? (
          <p className="light" data-on="true" role="status">
            <span className="light-lamp" aria-hidden="true" />
            <strong>It has worked: an agent was called.</strong>
          </p>
        ) : (
          <StatusLight server={ZOO_SERVER} />
        )}
      </div>
    </div>
  );
}
