import { Link } from "../parts.tsx";
import { ContextCurve } from "./context-curve.tsx";
import { type Run, runPath } from "./night-api.ts";
import { agoText, capitalized, clockText, costText, statusText, tokensText, toneOf } from "./words.ts";

export const Status = ({ run }: { run: Run }) => (
  <span class={`status ${toneOf(run)}`}>{statusText(run)}</span>
);

/** What the check of its work came to: the verdict of a run that is over, else the gates. */
const checkOf = ({ gate, report, verdict: judged }: Run): { text: string; tone: string } | undefined => {
  if (judged && report.endedAt !== undefined)
    return { text: judged.verdict, tone: toneOfVerdict(judged.verdict) };
  const verdict = gate?.verdict ?? report.gate;
  if (verdict === undefined) return undefined;
  if (verdict === "healthy") return { text: "gates green", tone: "good" };
  return verdict === "blocked" ? { text: "gates red", tone: "bad" } : { text: "no gate ran", tone: "" };
};

const toneOfVerdict = (verdict: string): string =>
  verdict === "refused" ? "bad" : verdict.startsWith("complete") ? "good" : "";

/** Why it needs somebody, in a sentence with what is known. */
export const needText = (run: Run): string => {
  const { report, need = "", waitingUntil, waitingFor, verdict } = run;
  if (report.status === "waiting" && waitingUntil !== undefined)
    return `Waits until ${clockText(waitingUntil)} for ${waitingFor ?? "a rate limit"}`;
  const known = report.reason ?? verdict?.reasons[0];
  const reason = known === undefined || run.isSilent ? "" : `: ${known}`;
  return `${capitalized(need).split(":")[0]}${reason}`;
};

const Fact = ({ label, children, tone }: { label: string; children: string; tone?: string }) => (
  <div class={tone === undefined ? "fact" : `fact ${tone}`}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

const contextText = ({ report, windowTokens }: Run): string =>
  report.contextTokens === undefined
    ? "–"
    : windowTokens === undefined
      ? tokensText(report.contextTokens)
      : `${Math.round((100 * report.contextTokens) / windowTokens)} %`;

/** A worker of a host, as it is now. */
export const RunCard = ({ run }: { run: Run }) => {
  const { report } = run;
  const check = checkOf(run);
  return (
    <li class={`worker ${toneOf(run)}`}>
      <div class="run-head">
        <Status run={run} />
        <span class="quiet">{agoText(run.ageSeconds)}</span>
      </div>
      <h3>
        <Link to={runPath(run.id)} class="run-name">
          {run.worker}
        </Link>{" "}
        <span class="quiet">
          {run.project} on {run.host}
        </span>
      </h3>
      {run.need !== undefined && <p class="need">{needText(run)}</p>}
      <p class="run-task">{report.task}</p>
      {run.curve.length > 0 && <ContextCurve run={run} points={run.curve} />}
      <dl class="facts">
        <Fact label="Session">{`${report.session} of ${report.max}`}</Fact>
        <Fact label="Context">{contextText(run)}</Fact>
        <Fact label="Cost">{costText(run)}</Fact>
        <Fact label="Commits">{String(run.commits)}</Fact>
      </dl>
      <p class="run-last">
        {check && <span class={`gate ${check.tone}`}>{check.text}</span>}
        {report.lastEvent !== undefined && <code>{report.lastEvent}</code>}
      </p>
    </li>
  );
};
