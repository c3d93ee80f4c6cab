import { useEffect, useState } from "preact/hooks";
import { callText } from "../api.ts";
import { countText, timeText } from "../format.ts";

type Approval = { id: string; tool: string; askedBy: string; expiresAt: string };

const WORDS: Readonly<Record<string, string>> = {
  activateDeployment: "Put a deployment live",
  removeDeployment: "Delete a deployment",
  learn: "Remember a learning",
  forget: "Forget a learning",
};

const readWaiting = async (): Promise<Approval[]> => {
  const text = await callText("GET", "/__companion/approvals?status=pending", undefined, {
    accept: "application/json",
  });
  return (JSON.parse(text) as { approvals: Approval[] }).approvals;
};

/** Changes of browser agents that wait for this person. @param at when to look again */
export const Approvals = ({ at }: { at: string }) => {
  const [waiting, setWaiting] = useState<Approval[]>([]);
  useEffect(() => {
    // What cannot be read now is read with the next look.
    readWaiting().then(setWaiting, () => undefined);
  }, [at]);
  if (waiting.length === 0) return null;
  return (
    <section class="notice warn stack tight" aria-label="Approvals">
      <p class="strong">{countText(waiting.length, "change")} of a browser agent waits for you</p>
      <ul class="asked">
        {waiting.map(({ id, tool, askedBy, expiresAt }) => (
          <li key={id}>
            <a class="button small" href={`/__companion/approvals/${id}`}>
              Review: {WORDS[tool] ?? tool}
            </a>
            <span>
              asked by {askedBy}, open until {timeText(expiresAt)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};
