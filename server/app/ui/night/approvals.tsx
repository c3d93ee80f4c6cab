import { useCallback, useEffect, useState } from "preact/hooks";
import { callText } from "../api.ts";
import { timeText } from "../format.ts";
import { useAgain } from "../use-load.ts";

export type WaitingChange = { id: string; title: string; askedBy: string; expiresAt: string };

const readWaiting = async (): Promise<WaitingChange[]> => {
  const text = await callText("GET", "/__companion/approvals?status=pending", undefined, {
    accept: "application/json",
  });
  return (JSON.parse(text) as { approvals: WaitingChange[] }).approvals;
};

/** Changes of browser agents that wait for this person. @param at when to look again, beside every few seconds */
export const useWaitingChanges = (at: string | undefined): WaitingChange[] => {
  const [waiting, setWaiting] = useState<WaitingChange[]>([]);
  const look = useCallback(async () => {
    // What cannot be read now is read with the next look.
    await readWaiting().then(setWaiting, () => undefined);
  }, []);
  useEffect(() => void look(), [at]);
  useAgain(look, 5_000);
  return waiting;
};

/** What a browser agent wants to change, each with the way to its page. */
export const WaitingChanges = ({ changes }: { changes: WaitingChange[] }) =>
  changes.length === 0 ? null : (
    <ul class="asked notice warn">
      {changes.map(({ id, title, askedBy, expiresAt }) => (
        <li key={id}>
          <a class="button" href={`/__companion/approvals/${id}`}>
            Review: {title}
          </a>
          <span>
            asked by {askedBy}, expires {timeText(expiresAt)}
          </span>
        </li>
      ))}
    </ul>
  );
