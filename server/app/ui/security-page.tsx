import { useState } from "preact/hooks";
import { call, type LogVerdict, open, saveAs } from "./api.ts";
import { Failure, PageTitle, Time } from "./parts.tsx";
import { useLoad } from "./use-load.ts";

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

const Row = ({ line }: { line: Line }) => (
  <tr>
    <th scope="row">
      <Time iso={line.at} />
    </th>
    <td data-label="What">
      <span>
        {line.event} {line.outcome !== "ok" && <span class="badge pending">{line.outcome}</span>}
        {line.again !== undefined && <span class="quiet"> {line.again} more</span>}
      </span>
    </td>
    <td data-label="Who">{line.principal ?? "unknown"}</td>
    <td data-label="From">{line.address ?? "this server"}</td>
    <td data-label="About">{line.subject ?? line.request ?? ""}</td>
  </tr>
);

/** The security log: sign-ins, refusals, changes of access. */
export const SecurityPage = () => {
  const { value, error, reload } = useLoad(loadLines, "security");
  const [verdict, setVerdict] = useState<LogVerdict>();
  const [failure, setFailure] = useState<unknown>();
  const run = (work: () => Promise<void>) => () => {
    setFailure(undefined);
    work().catch(setFailure);
  };
  const verify = async () => {
    setVerdict(await call(({ api }) => api["security-log"].verify.get()));
    await reload();
  };
  return (
    <main class="stack">
      <PageTitle title="Security">Security log</PageTitle>
      <p class="quiet">
        Sign-ins, refusals, and changes of tokens, keys and what is live: the newest {SHOWN} lines. Each line
        carries the digest of the one before it.
      </p>
      <div class="row">
        <button type="button" onClick={run(verify)}>
          Verify the log
        </button>
        <button type="button" onClick={run(() => saveAs("/api/security-log", "security-log.jsonl"))}>
          Download
        </button>
      </div>
      <Failure error={error ?? failure} />
      {verdict && (
        <p class={`notice ${verdict.ok ? "good" : "bad"}`} role="status">
          {verdict.ok
            ? `All ${verdict.lines} lines are as they were written.`
            : `The log was tampered with: ${verdict.fault ?? ""}.`}
        </p>
      )}
      {value && (
        <table class="log">
          <caption class="sr">Security log, the newest line first</caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">What</th>
              <th scope="col">Who</th>
              <th scope="col">From</th>
              <th scope="col">About</th>
            </tr>
          </thead>
          <tbody>
            {value.map((line) => (
              <Row key={line.number} line={line} />
            ))}
          </tbody>
        </table>
      )}
    </main>
  );
};
