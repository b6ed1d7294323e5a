import { Check } from "lucide-react";
import { useState } from "react";
import { type Client, useClients } from "../api/clients";
import { Button } from "../design/Button";
import { ErrorState, LoadingState } from "../design/states";
import { PlanView } from "./PlanView";

type ChoiceProps = {
  clients: Client[];
  chosen: string;
  server: string;
  onChoose: (name: string) => void;
};

function Choices({ clients, chosen, server, onChoose }: ChoiceProps) {
  return (
    <ul className="clients">
      {clients.map(({ name, title, installed, detected }) => (
        <li key={name}>
          <button
            type="button"
            className="client"
            aria-pressed={name === chosen}
            onClick={() => onChoose(name)}
          >
            <strong>{title}</strong>
            <span className="small">
              {installed.includes(server) ? (
                <span className="installed">
                  <Check size={14} aria-hidden="true" /> has it
                </span>
              ) : detected ? (
                "on this machine"
              ) : (
                "not found here"
              )}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

type Props = { server: string; address: string; onInstalled?: () => void };

/** The clients of this machine, and a preview of installing a server into one of them. */
export function ClientChooser({ server, address, onInstalled }: Props) {
  const { data, error, refetch } = useClients();
  const [picked, setPicked] = useState<string | null>(null);
  const [all, setAll] = useState(false);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <LoadingState label="Looking for clients" rows={2} />;
  const here = data.filter((one) => one.detected);
  const shown = all || here.length === 0 ? data : here;
  const chosen = data.find(({ name }) => name === picked) ?? here[0];
  return (
    <div className="stack">
      {here.length === 0 && (
        <p className="soft">
          No client was found on this machine. Choose the one that you use; it will be ready for it.
        </p>
      )}
      <Choices clients={shown} chosen={chosen?.name ?? ""} server={server} onChoose={setPicked} />
      {shown.length < data.length && (
        <Button small look="quiet" className="all-clients" onClick={() => setAll(true)}>
          Show all {data.length} clients
        </Button>
      )}
      {chosen && (
        <PlanView
          key={chosen.name}
          server={server}
          address={address}
          client={chosen}
          onInstalled={onInstalled}
        />
      )}
    </div>
  );
}
