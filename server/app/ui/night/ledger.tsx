import { bytesText, countText } from "../format.ts";
import type { RunEvent } from "./night-api.ts";
import { Step } from "./step.tsx";

type Entry = [host: string, port: number, verdict: string, times: number, bytes: number, reason: string];

const isEntry = (value: unknown): value is Entry =>
  Array.isArray(value) && typeof value[0] === "string" && typeof value[3] === "number";

/** Whom the session called through the sandbox's network, and what was refused. */
export const Ledger = ({ event }: { event: RunEvent }) => {
  const told = event.data["entries"];
  const entries = Array.isArray(told) ? told.filter(isEntry) : [];
  const refused = entries.filter(([, , verdict]) => verdict === "refused");
  return (
    <Step event={event} {...(refused.length > 0 ? { tone: "warn" } : {})}>
      <p>
        Network: {countText(entries.length, "host")}
        {refused.length > 0 && <>, {refused.length} refused</>}
      </p>
      <details class="long">
        <summary>Who was called</summary>
        <ul class="commits">
          {entries.map(([host, port, verdict, times, bytes, reason]) => (
            <li key={`${verdict} ${host}:${port}`}>
              <code>
                {host}:{port}
              </code>{" "}
              {verdict === "allowed"
                ? `${countText(times, "call")}, ${bytesText(bytes)}`
                : `${verdict}: ${reason}`}
            </li>
          ))}
        </ul>
      </details>
    </Step>
  );
};
