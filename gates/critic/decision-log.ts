import { appendLines } from "../../core/durable-file.ts";
import { redactSecrets as redact } from "../../core/redaction.ts";
import type { Judgement } from "./judge.ts";

const MAX_TEXT = 500;

/** Appends one decision as a JSON line: when, by whom asked, what was said, the rules that spoke. Secrets are taken out. */
export const logDecision = (
  path: string,
  { text, judgement, source, now }: { text: string; judgement: Judgement; source: string; now: number },
): void => {
  const line = {
    time: new Date(now).toISOString(),
    source,
    verdict: judgement.verdict,
    flags: judgement.flags.map(({ id, severity, match }) => ({ id, severity, match: redact(match) })),
    allowed: judgement.allowed.map(({ id, until }) => ({ id, until })),
    text: redact(text).slice(0, MAX_TEXT),
  };
  appendLines(path, [JSON.stringify(line)]);
};
