import { Dices } from "lucide-react";
import { useState } from "react";
import type { Agent } from "../api/model";
import { Creature } from "../creatures/Creature";
import { Button } from "../design/Button";
import { Dialog } from "../design/Dialog";
import { createRandomSeed } from "../shell/seeds";

const CHOICES = 12;

function freshSeeds(): string[] {
  return Array.from({ length: CHOICES }, createRandomSeed);
}

type LookDialogProps = {
  agent: Agent;
  open: boolean;
  onClose: () => void;
  onChoose: (seed: string) => void;
};

/** A choice of twelve appearances. The user can ask for twelve more. */
export function AppearanceDialog({ agent, open, onClose, onChoose }: LookDialogProps) {
  const [seeds, setSeeds] = useState(freshSeeds);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`A look for ${agent.name}`}
      description="Choose one, or roll for more. The name and everything else stay."
      foot={
        <Button onClick={() => setSeeds(freshSeeds())}>
          <Dices size={18} /> Roll again
        </Button>
      }
    >
      <div className="looks">
        {seeds.map((seed, index) => (
          <button
            key={seed}
            type="button"
            className="look-choice"
            aria-label={`Look ${index + 1}`}
            onClick={() => onChoose(seed)}
          >
            <Creature seed={seed} size={84} />
          </button>
        ))}
      </div>
    </Dialog>
  );
}
