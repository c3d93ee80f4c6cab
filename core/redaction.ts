import { replaceAssigned, replaceUserOption } from "./assigned-secrets.ts";
import { listShapes, type OnSecret, replacePrivateKeys } from "./secret-shapes.ts";

// The scheme and the name before it stay: they tell the reader what was there.
const BEARER = /\b(Bearer|Basic)(\s+)(?=[A-Za-z0-9._~+/-]*\d)([A-Za-z0-9._~+/-]{16,}=*)/g;
const URI_PASSWORD = /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,100}:)([^\s/@]{1,200})(@)/gi;

/** What every secret has: a long run of its characters, an address before it, or its name. Most texts have none. */
const MAY_HOLD_SECRET = /[A-Za-z0-9_~+/.!@#$%^&*=-]{12}|:\/\/|PRIVATE KEY|pass|pwd|-u\b|--user/i;

/** A value shorter than this is in too many texts that have nothing to do with it. */
const LEAST_LENGTH = 6;
/** What stands for a name in a text, the longest first: one may hold another. */
let named: readonly { name: string; form: string }[] = [];

/** How a program may print a value: as it is, a line of it, in JSON, in an address, in base64 (of a header, too). */
const formsOf = (value: string): string[] => {
  const bytes = Buffer.from(value);
  return [
    value,
    ...value.split(/\r?\n/),
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
  ].filter((form) => form.length >= LEAST_LENGTH);
};

/**
 * From now on these values are secrets, whatever they look like; each is replaced by its name. Answers with the
 * names of values that are too short to be told from other text.
 */
export const nameSecrets = (values: Readonly<Record<string, string | undefined>>): string[] => {
  const given = Object.entries(values).flatMap(([name, value]) => (value ? [{ name, value }] : []));
  const forms = given
    .filter(({ value }) => value.length >= LEAST_LENGTH)
    .flatMap(({ name, value }) => [...new Set(formsOf(value))].map((form) => ({ name, form })));
  named = [...named.filter(({ name }) => !Object.hasOwn(values, name)), ...forms].sort(
    (one, other) => other.form.length - one.form.length,
  );
  return given.filter(({ value }) => value.length < LEAST_LENGTH).map(({ name }) => name);
};

/** A copy of a value that is written as JSON, without the values of named secrets in its texts, but those of `keep`. */
export const withoutNamedSecrets = <T>(value: T, keep: readonly string[] = []): T =>
  named.length === 0 || value === undefined
    ? value
    : (JSON.parse(
        JSON.stringify(value, (key, each: unknown) =>
          typeof each === "string" && !keep.includes(key)
            ? replaceNamed(each, (_, name) => `[REDACTED:${name}]`)
            : each,
        ),
      ) as T);

const replaceNamed = (given: string, onSecret: OnSecret): string => {
  let text = given;
  for (const { name, form } of named) text = text.replaceAll(form, () => onSecret(form, name));
  return text;
};

/** Every secret of a text in turn, replaced by what `onSecret` says. Each step takes time linear in the text. */
const replaceSecrets = (given: string, onSecret: OnSecret): string => {
  const text = replaceNamed(given, onSecret);
  if (!MAY_HOLD_SECRET.test(text)) return text;
  let clean = replacePrivateKeys(text, onSecret);
  for (const { name, pattern } of listShapes())
    clean = clean.replace(pattern, (secret) => onSecret(secret, name));
  clean = clean
    .replace(
      BEARER,
      (_, scheme: string, blank: string, secret: string) =>
        `${scheme}${blank}${onSecret(secret, "credential")}`,
    )
    .replace(URI_PASSWORD, (whole, before: string, password: string, at: string) =>
      password.startsWith("[REDACTED") ? whole : `${before}${onSecret(password, "password")}${at}`,
    );
  return replaceAssigned(replaceUserOption(clean, onSecret), onSecret);
};

/**
 * Replaces everything that is shaped like a secret by `[REDACTED:<kind>]`. Idempotent; leaves hashes,
 * UUIDs and prose alone. Run it before text is stored, hashed, indexed or shown.
 */
export const redactSecrets = (text: string): string =>
  replaceSecrets(text, (_, name) => `[REDACTED:${name}]`);

/** Every secret in a text, as it stands. */
export const findSecrets = (text: string): string[] => {
  const found: string[] = [];
  replaceSecrets(text, (secret) => {
    found.push(secret);
    return secret;
  });
  return found;
};

/** Whether a text holds anything that `redactSecrets` would take out. */
export const hasSecret = (text: string): boolean => redactSecrets(text) !== text;

const SECRET_FILES =
  /(?:^|\/)(?:\.env(?:\.(?!example$|sample$|template$|dist$)[^/]*)?|\.npmrc|\.netrc|\.pypirc|\.pgpass|\.htpasswd|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx)|credentials(?:\.json)?|service-account[^/]*\.json|[^/]*api-key|admin-token)$/i;

/** Whether a path is named like a file of secrets (`.env`, private keys, credential stores). */
export const isSecretPath = (path: string): boolean => SECRET_FILES.test(path);
