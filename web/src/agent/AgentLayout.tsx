import { Brain, Feather, House, ScrollText, Wand2 } from "lucide-react";
import { MotionConfig, motion } from "motion/react";
import { Suspense } from "react";
import { Link, NavLink, Outlet, useOutletContext, useParams } from "react-router";
import type { Agent } from "../api/model";
import { isNotFound, useAgent } from "../api/queries";
import { buttonClass } from "../design/Button";
import { EmptyState, ErrorState, LoadingState } from "../design/states";
import { PageTitle } from "../shell/PageTitle";
import { AgentHeader } from "./AgentHeader";
import "./agent.css";

const TABS = [
  { to: "", label: "Overview", icon: House },
  { to: "soul", label: "Soul", icon: Feather },
  { to: "skills", label: "Skills", icon: Wand2 },
  { to: "brain", label: "Brain", icon: Brain },
  { to: "injected", label: "Injected", icon: ScrollText },
];

function Tabs({ agent }: { agent: Agent }) {
  return (
    <nav className="tabs" aria-label={`Parts of ${agent.name}`}>
      {TABS.map(({ to, label, icon: Icon }) => (
        <NavLink key={to} className="tab" to={to} end={to === ""} preventScrollReset>
          {({ isActive }) => (
            <>
              {isActive && (
                <motion.span
                  className="tab-plate"
                  layoutId="agent-tab"
                  transition={{ type: "spring", stiffness: 480, damping: 34 }}
                />
              )}
              <span className="tab-label">
                <Icon size={17} aria-hidden="true" />
                {label}
              </span>
            </>
          )}
        </NavLink>
      ))}
    </nav>
  );
}

/** Return the agent of the current page. */
export function useThisAgent(): Agent {
  return useOutletContext<Agent>();
}

export function AgentLayout() {
  const { id = "" } = useParams();
  const { data: agent, error, refetch } = useAgent(id);
  if (isNotFound(error)) {
    return (
      <div className="page">
        <EmptyState
          seed={id}
          title="No agent with this name"
          actions={
            <Link className={buttonClass({ look: "primary" })} to="/">
              To the zoo
            </Link>
          }
        >
          <PageTitle title="Not here">
            <span className="hidden-text">Not here</span>
          </PageTitle>
          <p>
            There is no agent “{id.slice(0, 80)}”. It may have been deleted, or never been here.
          </p>
        </EmptyState>
      </div>
    );
  }
  if (!agent) {
    return (
      <div className="page">
        {error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <LoadingState label="Loading the agent" />
        )}
      </div>
    );
  }
  return (
    <div className="page agent" key={agent.id}>
      <AgentHeader agent={agent} />
      <MotionConfig reducedMotion="user">
        <Tabs agent={agent} />
        <Suspense fallback={<LoadingState />}>
          <Outlet context={agent} />
        </Suspense>
      </MotionConfig>
    </div>
  );
}
