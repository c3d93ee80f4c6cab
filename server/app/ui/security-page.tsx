import { useState } from "preact/hooks";
import { call, type LogVerdict, open, saveAs } from "./api.ts";
import { Button, Failure, PageTitle, Table, Time } from "./parts.tsx";
import { useLoad } from "./use-load.ts";
import { useWork } from "./use-work.ts";

type Line = {
  number: number;
  at: string;
  event: string;
  outcome: string;
  principal?: string;
  address?: string;
  request?: string;
  subject?: string;
  again?: number;
};

const SHOWN = 200;

const loadLines = async (): Promise<Line[]> =>
  (await (await open(`/api/security-log?last=${SHOWN}`)).text())
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line)
    .reverse();

/** The events of the log in words; what is not here is shown as it is. */
const EVENTS: Readonly<Record<string, string>> = {
  "sign-in": "Sign-in",
  "sign-out": "Sign-out",
  "token-made": "Token created",
  "token-revoked": "Token revoked",
  "key-made": "Key created",
  "key-revoked": "Key revoked",
  backup: "Backup",
  import: "Import",
  activation: "Went live",
  deletion: "Deletion",
  approval: "Approval decided",
  steering: "Project state changed",
  "worker-command": "Worker command",
  "queue-change": "Queue changed",
  "push-device": "Device registered",
  "log-read": "Log read",
  refusal: "Request",
};

/** "token ci (tok_…)": whose it is first, its id below. */
const Who = ({ principal }: { principal: string }) => {
  const [, name = principal, id] = /^(.*) \((tok_\w+)\)$/.exec(principal) ?? [];
  return (
    <div>
      {name} {id !== undefined && <code class="quiet">{id}</code>}
    </div>
  );
};

const Row = ({ line }: { line: Line }) => (
  <tr>
    <th scope="row">
      <Time iso={line.at} />
    </th>
    <td data-label="What">
      <span>
        {EVENTS[line.event] ?? line.event}{" "}
        {line.outcome !== "ok" && <span class="badge pending">{line.outcome}</span>}
        {line.again !== undefined && <span class="quiet"> and {line.again} more</span>}
      </span>
    </td>
    <td data-label="Who">
      <Who principal={line.principal ?? "unknown"} />
    </td>
    <td data-label="From">{line.address ?? "this server"}</td>
    <td data-label="About">{line.subject ?? line.request ?? ""}</td>
  </tr>
);

/** The security log: sign-ins, refusals, changes of access. */
export const SecurityPage = () => {
  const { value, error, reload } = useLoad(loadLines, "security");
  const [verdict, setVerdict] = useState<LogVerdict>();
  const work = useWork();
  const verify = async () => {
    setVerdict(await call(({ api }) => api["security-log"].verify.get()));
    await reload();
  };
  return (
    <main class="stack">
      <PageTitle title="Security">Security log</PageTitle>
      <p class="quiet">
        Sign-ins, refused requests, and changes to tokens, keys and live sites: the newest {SHOWN} lines. Each
        line carries the digest of the one before, so that tampering shows.
      </p>
      <div class="row">
        <Button text="Verify the log" onClick={() => work.run(verify)} />
        <Button
          text="Download"
          onClick={() => work.run(() => saveAs("/api/security-log", "security-log.jsonl"))}
        />
      </div>
      <Failure error={error ?? work.error} />
      {verdict && (
        <p class={`notice ${verdict.ok ? "good" : "bad"}`} role="status">
          {verdict.ok
            ? `Unchanged: all ${verdict.lines} lines match their digests.`
            : `The log was tampered with: ${verdict.fault ?? ""}.`}
        </p>
      )}
      {value && (
        <Table
          class="log"
          caption="Security log, the newest line first"
          columns={["When", "What", "Who", "From", "About"]}
        >
          <tbody>
            {value.map((line) => (
              <Row key={line.number} line={line} />
            ))}
          </tbody>
        </Table>
      )}
    </main>
  );
};
