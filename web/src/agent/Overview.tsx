import { Brain, Feather, Plug, ScrollText, Wand2 } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Agent } from "../api/model";
import { useEntries, usePreview } from "../api/queries";
import { EntryType } from "../brain/EntryType";
import { CopyButton } from "../design/CopyButton";
import { ago, estimateTokens, formatCount } from "../design/format";
import { Skeleton } from "../design/states";
import { SizeBar } from "../injected/SizeBar";
import { useThisAgent } from "./AgentLayout";

type CardProps = {
  title: string;
  icon: ReactNode;
  to: string;
  more: string;
  note?: string;
  children: ReactNode;
};

function Card({ title, icon, to, more, note, children }: CardProps) {
  return (
    <section className="card overview-card">
      <div className="overview-head">
        <h2>
          {icon} {title}
        </h2>
        {note && <span className="soft small">{note}</span>}
      </div>
      <div className="overview-body">{children}</div>
      <Link className="overview-more" to={to}>
        {more}
      </Link>
    </section>
  );
}

function SoulCard({ agent }: { agent: Agent }) {
  const soul = agent.systemPrompt.trim();
  return (
    <Card
      title="Soul"
      icon={<Feather size={20} />}
      to="soul"
      more={soul ? "Read and edit the soul" : "Write the soul"}
      note={soul && `about ${formatCount(estimateTokens(soul), "token")}`}
    >
      {soul ? (
        <p className="excerpt">{soul}</p>
      ) : (
        <p className="soft">Who it is and how it works has not been written yet.</p>
      )}
    </Card>
  );
}

function SkillsCard({ agent }: { agent: Agent }) {
  const enabled = agent.skills.filter((skill) => skill.enabled);
  const colours = new Map(agent.skillCategories.map(({ id, color }) => [id, color]));
  return (
    <Card
      title="Skills"
      icon={<Wand2 size={20} />}
      to="skills"
      more={agent.skills.length > 0 ? "Arrange the skills" : "Add the first skill"}
      note={agent.skills.length > 0 ? `${enabled.length} of ${agent.skills.length} on` : ""}
    >
      {agent.skills.length === 0 && <p className="soft">No skills yet.</p>}
      <ul className="chips">
        {agent.skills.slice(0, 14).map((skill) => (
          <li key={skill.id} className="chip" data-off={!skill.enabled || undefined}>
            <span className="dot" style={{ background: colours.get(skill.categoryId) }} />
            {skill.name}
            {!skill.enabled && <span className="hidden-text"> (off)</span>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function BrainCard({ agent }: { agent: Agent }) {
  const { data } = useEntries(agent.id, {});
  const entries = data?.pages[0]?.items;
  return (
    <Card title="Brain" icon={<Brain size={20} />} to="brain" more="Look into the brain">
      {!entries && <Skeleton height="5rem" />}
      {entries?.length === 0 && <p className="soft">Nothing remembered yet.</p>}
      <ul className="stack-small">
        {entries?.slice(0, 3).map((entry) => (
          <li key={entry.id} className="overview-entry">
            <EntryType type={entry.type} />
            <span className="one-line">{entry.content}</span>
            <span className="soft small">{ago(entry.timestamp)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function InjectedCard({ agent }: { agent: Agent }) {
  const { data } = usePreview(agent.id);
  return (
    <Card
      title="Injected"
      icon={<ScrollText size={20} />}
      to="injected"
      more="See the exact text"
      note={data && `about ${formatCount(data.tokens, "token")}`}
    >
      {data ? <SizeBar sections={data.sections} /> : <Skeleton height="3rem" />}
    </Card>
  );
}

function CallCard({ agent }: { agent: Agent }) {
  const words = `Inject the agent ${agent.name} from the zoo and work as it.`;
  return (
    <section className="card overview-call">
      <h2>
        <Plug size={20} /> Call {agent.name}
      </h2>
      <p>
        In an editor or chat that is connected to Paddock, say this. Clients that show prompts as
        commands have one of its name, too.
      </p>
      <div className="call-words">
        <code>{words}</code>
        <CopyButton small text={words} />
      </div>
    </section>
  );
}

export function Overview() {
  const agent = useThisAgent();
  return (
    <div className="overview">
      <SoulCard agent={agent} />
      <SkillsCard agent={agent} />
      <BrainCard agent={agent} />
      <InjectedCard agent={agent} />
      <CallCard agent={agent} />
    </div>
  );
}
