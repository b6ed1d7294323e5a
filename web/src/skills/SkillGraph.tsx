/**
 * Graph of skills and their requirements, which the user can view and rearrange. Loaded on first
 * use.
 */

import "@xyflow/react/dist/style.css";
import {
  Background,
  type Connection,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  useNodesState,
} from "@xyflow/react";
import { useEffect, useMemo } from "react";
import type { Agent, Skill, SkillFinding } from "../api/model";
import { useReducedMotion } from "../design/media";
import { readPreference, writePreference } from "../design/preferences";
import { useTheme } from "../design/theme";
import { toast } from "../design/toasts";
import { computeDepths, wouldCreateCycle } from "./skillOrder";
import type { useSkillActions } from "./useSkillActions";

type SkillNode = Node<{ skill: Skill; color: string; warned: boolean }, "skill">;
type Places = Record<string, { x: number; y: number }>;

const WIDE = 260;
const HIGH = 92;

function SkillBox({ data: { skill, color, warned } }: NodeProps<SkillNode>) {
  return (
    <div
      className="graph-skill"
      data-on={skill.enabled}
      data-warned={warned || undefined}
      style={{ borderLeftColor: color }}
    >
      <Handle type="target" position={Position.Left} />
      <strong>{skill.name}</strong>
      <span className="small">{skill.enabled ? "on" : "off"}</span>
      <Handle type="source" position={Position.Right} />
    </div>
  );
}

const NODE_TYPES = { skill: SkillBox };

function storedPlaces(agentId: string): Places {
  try {
    return JSON.parse(readPreference(`graph:${agentId}`) ?? "{}") as Places;
  } catch {
    return {};
  }
}

/** Place skills in columns by depth, and within a column below each other, grouped by category. */
function nodesOf(agent: Agent, findings: SkillFinding[]): SkillNode[] {
  const column = computeDepths(agent.skills);
  const places = storedPlaces(agent.id);
  const order = new Map(agent.skillCategories.map(({ id }, index) => [id, index]));
  const colours = new Map(agent.skillCategories.map(({ id, color }) => [id, color]));
  const heights: number[] = [];
  const sorted = [...agent.skills].sort(
    (a, b) => (order.get(a.categoryId) ?? 0) - (order.get(b.categoryId) ?? 0),
  );
  return sorted.map((skill) => {
    const depth = column.get(skill.id) ?? 0;
    const row = heights[depth] ?? 0;
    heights[depth] = row + 1;
    return {
      id: skill.id,
      type: "skill",
      position: places[skill.id] ?? { x: depth * WIDE, y: row * HIGH + (depth % 2) * 24 },
      data: {
        skill,
        color: colours.get(skill.categoryId) ?? "gray",
        warned: findings.some(({ skillIds }) => skillIds.includes(skill.id)),
      },
      ariaLabel: `${skill.name}, ${skill.enabled ? "on" : "off"}`,
    };
  });
}

function edgesOf(skills: readonly Skill[]): Edge[] {
  const known = new Set(skills.map(({ id }) => id));
  return skills.flatMap((skill) =>
    skill.requires
      .filter((id) => known.has(id))
      .map((id) => ({
        id: `${id} ${skill.id}`,
        source: id,
        target: skill.id,
        markerEnd: { type: MarkerType.ArrowClosed },
      })),
  );
}

type SkillGraphProps = {
  agent: Agent;
  findings: SkillFinding[];
  actions: ReturnType<typeof useSkillActions>;
  onEdit: (skill: Skill) => void;
};

export default function SkillGraph({ agent, findings, actions, onEdit }: SkillGraphProps) {
  const { theme } = useTheme();
  const still = useReducedMotion();
  const [nodes, setNodes, onNodesChange] = useNodesState<SkillNode>([]);
  const edges = useMemo(() => edgesOf(agent.skills), [agent.skills]);
  useEffect(() => setNodes(nodesOf(agent, findings)), [agent, findings, setNodes]);

  const keepPlaces = () => {
    const places: Places = Object.fromEntries(nodes.map(({ id, position }) => [id, position]));
    writePreference(`graph:${agent.id}`, JSON.stringify(places));
  };
  const connect = ({ source, target }: Connection) => {
    const skill = agent.skills.find(({ id }) => id === target);
    if (!skill || skill.requires.includes(source)) return;
    if (wouldCreateCycle(agent.skills, target, source)) {
      toast("These two would need each other in a circle.", { bad: true });
      return;
    }
    void actions.change(agent, skill, { requires: [...skill.requires, source] });
  };
  const disconnect = (removed: Edge[]) => {
    for (const { source, target } of removed) {
      const skill = agent.skills.find(({ id }) => id === target);
      if (skill)
        void actions.change(agent, skill, {
          requires: skill.requires.filter((id) => id !== source),
        });
    }
  };

  return (
    <div className="graph card">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onNodesChange={onNodesChange}
        onNodeDragStop={keepPlaces}
        onNodeDoubleClick={(_, node) => onEdit(node.data.skill)}
        onConnect={connect}
        onEdgesDelete={disconnect}
        nodesFocusable
        deleteKeyCode={["Delete", "Backspace"]}
        // Skills are deleted in the list, where this can be undone. Here, only requirements can be
        // deleted.
        onBeforeDelete={async ({ edges: gone }) =>
          gone.length > 0 ? { nodes: [], edges: gone } : false
        }
        colorMode={theme}
        fitView
        fitViewOptions={{ maxZoom: 1.1, padding: 0.2, duration: still ? 0 : 300 }}
        minZoom={0.2}
        aria-label="Skills and what they need"
      >
        <Background gap={26} />
        <Controls showInteractive={false} />
      </ReactFlow>
      <p className="soft small graph-help">
        An arrow leads from a skill to one that needs it. Drag to arrange, draw from the right edge
        of one to the left edge of another to join them, double-click to edit. In the list all of
        this works with the keyboard.
      </p>
    </div>
  );
}
