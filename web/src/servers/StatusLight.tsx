import { useConnections } from "../api/clients";
import { ago } from "../design/format";

/** A status light: which clients are connected to a server. */
export function StatusLight({ server }: { server: string }) {
  const connections = useConnections(server);
  const [latest] = connections;
  return (
    <p className="light" role="status" data-on={latest !== undefined}>
      <span className="light-lamp" aria-hidden="true" />
      {latest ? (
        <span>
          <strong>Connected:</strong>{" "}
          {[...new Set(connections.map((one) => one.client))].join(", ")}, {ago(latest.at)}
          {latest.tool && (
            <>
              , called <code>{latest.tool}</code>
            </>
          )}
        </span>
      ) : (
        <span className="soft">No calls yet</span>
      )}
    </p>
  );
}
