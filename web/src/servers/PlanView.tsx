import { Check, ExternalLink, LoaderCircle, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import {
  type Client,
  type InstallRequest,
  type Plan,
  useInstall,
  usePlan,
  useUninstall,
} from "../api/clients";
import { ApiError } from "../api/http";
import { Button } from "../design/Button";
import { CopyButton } from "../design/CopyButton";
import { Scrollable } from "../design/Scrollable";
import { Skeleton } from "../design/states";
import { toast } from "../design/toasts";

/** The lines of a unified diff with their kinds. */
function DiffText({ diff, label }: { diff: string; label: string }) {
  const lines = diff.replace(/\n$/, "").split("\n");
  return (
    <Scrollable className="diff code" label={label}>
      {lines
        .filter((line) => !/^(---|\+\+\+|@@)/.test(line))
        .map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and stay in order
          <div key={index} className="diff-line" data-sign={line[0] ?? " "}>
            <span className="diff-sign" aria-hidden="true">
              {line[0]}
            </span>
            <span className="hidden-text">
              {line[0] === "+" ? "added: " : line[0] === "-" ? "removed: " : ""}
            </span>
            <span className="diff-text">{line.slice(1) || " "}</span>
          </div>
        ))}
    </Scrollable>
  );
}

function ByHand({ plan, client }: { plan: Plan; client: Client }) {
  return (
    <div className="stack-small">
      <p>{client.title} has no file that Paddock could change. Paste this into its settings:</p>
      <Scrollable className="answer-code code" label="What to paste">
        {plan.paste}
      </Scrollable>
      <div className="row">
        <CopyButton text={plan.paste ?? ""} />
        {plan.link && !/^\s*(javascript|data):/i.test(plan.link) && (
          <a className="button" href={plan.link}>
            <ExternalLink size={17} /> Open {client.title}
          </a>
        )}
      </div>
    </div>
  );
}

function Change({ plan, client }: { plan: Plan; client: Client }) {
  if (plan.paste) return <ByHand plan={plan} client={client} />;
  if (!plan.diff)
    return (
      <p className="row installed">
        <Check size={19} /> Already there, just as it would be written.
      </p>
    );
  return (
    <div className="stack-small">
      <p className="soft small">
        This is what changes in <code>{plan.path}</code>; everything else in it stays.
      </p>
      <DiffText diff={plan.diff} label={`What changes in the file of ${client.title}`} />
    </div>
  );
}

type WayProps = { client: Client; live: boolean; onChange: (live: boolean) => void };

function Way({ client, live, onChange }: WayProps) {
  const name = useId();
  if (!client.takesUrls || !client.startsPrograms) return null;
  const ways = [
    { is: false, title: "It starts Paddock itself", text: "Works also when this page is closed." },
    { is: true, title: "It calls this running Paddock", text: "You see here when it calls." },
  ];
  return (
    <fieldset className="ways">
      <legend className="field-label">How {client.title} reaches it</legend>
      {ways.map(({ is, title, text }) => (
        <label key={title} className="way">
          <input type="radio" name={name} checked={live === is} onChange={() => onChange(is)} />
          <span>
            <strong>{title}</strong>
            <span className="soft small">{text}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

type Props = {
  server: string;
  /** The path of the server's HTTP endpoint. */
  address: string;
  client: Client;
  onInstalled?: (() => void) | undefined;
};

/** A preview of installing a server into a client, with the button that installs it. */
export function PlanView({ server, address, client, onInstalled }: Props) {
  const [live, setLive] = useState(!client.startsPrograms);
  const [replace, setReplace] = useState(false);
  const wish: InstallRequest = {
    client: client.name,
    server,
    url: live ? new URL(address, window.location.origin).href : undefined,
    replace: replace || undefined,
  };
  const plan = usePlan(wish);
  const install = useInstall();
  const uninstall = useUninstall();
  const isForeign = plan.error instanceof ApiError && plan.error.code === "FOREIGN_ENTRY";
  const isInstalled = client.installed.includes(server);

  const put = () =>
    install.mutate(wish, {
      onSuccess: () => {
        toast(`${client.title} has ${server} now. You may have to restart it.`);
        onInstalled?.();
      },
    });
  const take = () =>
    uninstall.mutate(wish, { onSuccess: () => toast(`${server} is out of ${client.title}.`) });
  const problem = install.error ?? uninstall.error;

  return (
    <div className="stack" data-plan={client.name}>
      <Way client={client} live={live} onChange={setLive} />
      {plan.data ? (
        <Change plan={plan.data} client={client} />
      ) : plan.error ? (
        <div className="notice" role="alert">
          <span className="notice-text">{plan.error.message}</span>
          {isForeign && (
            <Button small onClick={() => setReplace(true)}>
              Show it with that replaced
            </Button>
          )}
        </div>
      ) : (
        <Skeleton height="8rem" />
      )}
      {plan.data?.warnings.map((warning) => (
        <p key={warning} className="notice">
          {warning}
        </p>
      ))}
      {problem && (
        <p className="notice notice-bad" role="alert">
          {problem.message}
        </p>
      )}
      <div className="row">
        {plan.data?.diff && (
          <Button look="primary" disabled={install.isPending} onClick={put}>
            {install.isPending ? (
              <>
                <LoaderCircle size={17} className="turning" /> Trying it out…
              </>
            ) : (
              `Install into ${client.title}`
            )}
          </Button>
        )}
        {isInstalled && (
          <Button disabled={uninstall.isPending} onClick={take}>
            <Trash2 size={16} /> Take it out
          </Button>
        )}
      </div>
    </div>
  );
}
