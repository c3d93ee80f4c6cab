/** A shape of secret: what it is called in the placeholder, and how it looks. Shapes only, never entropy: a git SHA stays. */
type SecretShape = { name: string; pattern: RegExp };

// The guard keeps words that merely contain a prefix ("risk-based" holds "sk-") out.
const GUARD = "(?<![A-Za-z0-9_])";
const END = "(?![A-Za-z0-9_])";
const shape = (name: string, body: string, flags = "g"): SecretShape => ({
  name,
  pattern: new RegExp(`${GUARD}${body}`, flags),
});

// Made when it is first needed: a process that lives shortly seldom sees a text that may hold a secret.
const makeShapes = (): readonly SecretShape[] => [
  {
    name: "private_key",
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,20000}?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  shape("anthropic_key", `sk-ant-[A-Za-z0-9_-]{16,}`),
  shape("openai_key", `sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}`),
  shape("github_token", `(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,})`),
  shape("gitlab_token", `gl(?:pat|dt|rt|cbt)-[A-Za-z0-9_-]{20,}`),
  shape("aws_access_key", `(?:AKIA|ASIA)[A-Z0-9]{16}${END}`),
  shape("google_api_key", `AIza[A-Za-z0-9_-]{35}${END}`),
  shape("google_oauth", `ya29\\.[A-Za-z0-9_-]{20,}`),
  shape("slack_token", `xox[abeoprs]-[A-Za-z0-9-]{10,}`),
  shape("slack_webhook", `https://hooks\\.slack\\.com/services/[A-Za-z0-9/_-]{20,}`),
  shape("stripe_key", `(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}`),
  shape("nightshift_token", `nightshift_[A-Za-z0-9_-]{43}[0-9a-f]{8}${END}`),
  shape("npm_token", `npm_[A-Za-z0-9]{36}${END}`),
  shape("pypi_token", `pypi-[A-Za-z0-9_-]{40,}`),
  shape("huggingface_token", `hf_[A-Za-z0-9]{30,}`),
  shape("telegram_token", `\\d{8,10}:AA[A-Za-z0-9_-]{33}${END}`),
  shape("jwt", `eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}`),
];

// The scheme and the name before it stay: they tell the reader what was there.
const BEARER = /\b(Bearer|Basic)(\s+)(?=[A-Za-z0-9._~+/-]*\d)[A-Za-z0-9._~+/-]{16,}=*/g;
const URI_PASSWORD = /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,100}:)([^\s/@]{1,200})(@)/gi;
const ASSIGNED =
  /\b((?:[A-Za-z0-9]+[_-])*(?:api[_-]?key|secret(?:[_-]?(?:access)?[_-]?key)?|access[_-]?token|auth[_-]?token|client[_-]?secret|passwd|password))(["']?\s*[:=]\s*["']?)(?=[^\s"']*\d)([A-Za-z0-9_~+/.!@#$%^&*-]{12,})/gi;

let shapes: readonly SecretShape[] | undefined;
const listShapes = (): readonly SecretShape[] => (shapes ??= makeShapes());

/** What every secret has: a long run of its characters, an address before it, or its name. Most texts have none. */
const MAY_HOLD_SECRET = /[A-Za-z0-9_~+/.!@#$%^&*-]{12}|:\/\/|PRIVATE KEY/;

/**
 * Replaces everything that is shaped like a secret by `[REDACTED:<kind>]`. Idempotent; leaves hashes,
 * UUIDs and prose alone. Run it before text is stored, hashed, indexed or shown.
 */
export const redactSecrets = (text: string): string => {
  if (!MAY_HOLD_SECRET.test(text)) return text;
  let clean = text;
  for (const { name, pattern } of listShapes()) clean = clean.replace(pattern, `[REDACTED:${name}]`);
  return clean
    .replace(BEARER, "$1$2[REDACTED:credential]")
    .replace(URI_PASSWORD, (whole, before: string, password: string, at: string) =>
      password.startsWith("[REDACTED") ? whole : `${before}[REDACTED:password]${at}`,
    )
    .replace(ASSIGNED, (whole, name: string, sign: string, value: string) =>
      value.startsWith("[REDACTED") || /^[0-9a-f]{40}$/.test(value)
        ? whole
        : `${name}${sign}[REDACTED:secret]`,
    );
};

/** Every secret in a text, as it stands. */
export const findSecrets = (text: string): string[] => [
  ...listShapes().flatMap(({ pattern }) => [...text.matchAll(pattern)].map(([secret]) => secret)),
  ...[...text.matchAll(BEARER)].map(([all, scheme = "", blank = ""]) =>
    all.slice(scheme.length + blank.length),
  ),
  ...[...text.matchAll(URI_PASSWORD)].map(([, , password = ""]) => password),
  ...[...text.matchAll(ASSIGNED)].map(([, , , value = ""]) => value),
];

/** Whether a text holds anything that `redactSecrets` would take out. */
export const hasSecret = (text: string): boolean => redactSecrets(text) !== text;

const SECRET_FILES =
  /(?:^|\/)(?:\.env(?:\.(?!example$|sample$|template$|dist$)[^/]*)?|\.npmrc|\.netrc|\.pypirc|\.pgpass|\.htpasswd|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx)|credentials(?:\.json)?|service-account[^/]*\.json|[^/]*api-key|admin-token)$/i;

/** Whether a path is named like a file of secrets (`.env`, private keys, credential stores). */
export const isSecretPath = (path: string): boolean => SECRET_FILES.test(path);
