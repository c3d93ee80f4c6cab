import { SECRET_RULES } from "./secret-rules.ts";

/** A shape of secret: what it is called in the placeholder, and how it looks. Shapes only, never entropy: a git SHA stays. */
export type SecretShape = { name: string; pattern: RegExp };

// The guard keeps words that merely contain a prefix ("risk-based" holds "sk-") out, and lets a pattern begin only
// where a word does: no run of characters is read from each of its places.
const GUARD = "(?<![A-Za-z0-9_])";
// What is glued to a secret goes with it: else it would begin a word once the secret is gone.
const REST = "[A-Za-z0-9_-]*";

/** Our own keys, and those of a kept list with looser lengths: a key that was cut short is still most of a key. */
const OWN_SHAPES: readonly (readonly [name: string, pattern: string])[] = [
  ["nightshift_token", String.raw`nightshift_[A-Za-z0-9_-]{43}[0-9a-f]{8}`],
  ["nightshift_memory_key", String.raw`nsm_[A-Za-z0-9_-]{40,}`],
  ["anthropic_key", String.raw`sk-ant-[A-Za-z0-9_-]{16,}`],
  ["openai_key", String.raw`sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}`],
  ["github_token", String.raw`(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,})`],
  ["google_oauth", String.raw`ya29\.[A-Za-z0-9_-]{20,}`],
  ["slack_webhook", String.raw`https:\/\/hooks\.slack\.com\/services\/[A-Za-z0-9/_-]{20,}`],
  ["stripe_key", String.raw`(?:sk|rk|pk)_(?:live|test|org)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{32,}`],
  ["pypi_token", String.raw`pypi-[A-Za-z0-9_-]{40,}`],
  ["huggingface_token", String.raw`(?:hf|api_org)_[A-Za-z0-9]{30,}`],
];

let shapes: readonly SecretShape[] | undefined;

/** Made when they are first needed: a process that lives shortly seldom sees a text that may hold a secret. */
export const listShapes = (): readonly SecretShape[] =>
  (shapes ??= [...OWN_SHAPES, ...SECRET_RULES].map(([name, pattern]) => ({
    name,
    pattern: new RegExp(`${GUARD}(?:${pattern})${REST}`, "g"),
  })));

/** What is done with a secret that was found: the text that takes its place. */
export type OnSecret = (secret: string, name: string) => string;

const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const MOST_KEY = 20_000;
const KEY_LINES = /[A-Za-z0-9+/=\s:,.-]*/y;

/** Private keys from their first line to their last; where that is missing, as far as what follows looks like a key. */
export const replacePrivateKeys = (text: string, onSecret: OnSecret): string => {
  if (!text.includes("PRIVATE KEY")) return text;
  const ends = [...text.matchAll(KEY_END)].map((match) => match.index + match[0].length);
  let result = "";
  let done = 0;
  let next = 0;
  for (const { index, 0: begin } of text.matchAll(KEY_BEGIN)) {
    if (index < done) continue;
    while (next < ends.length && (ends[next] ?? 0) <= index + begin.length) next++;
    const last = ends[next];
    KEY_LINES.lastIndex = index + begin.length;
    const end =
      last !== undefined && last - index <= MOST_KEY
        ? last
        : index + begin.length + (KEY_LINES.exec(text)?.[0].trimEnd().length ?? 0);
    result += text.slice(done, index) + onSecret(text.slice(index, end), "private_key");
    done = end;
  }
  return result + text.slice(done);
};
