import type { OnSecret } from "./secret-shapes.ts";

// A name is read from its beginning only, whatever it is made of: each character once.
const NAME_AND_SIGN =
  /(?<![A-Za-z0-9_.-])([A-Za-z0-9_.-]+)(["']?[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}|(?<=--[a-z][A-Za-z0-9_.-]{0,40})[ \t]{1,4})/g;
const QUOTED = /(["'`])((?:(?!\1)[^\n])+)\1/y;
const BARE = /[^\s"'`,;<>()[\]{}\\|]+/y;

type Kind = "password" | "key";

/** What a name says of its value; words of a longer name count only at its end (`password_length` is none). */
const kindOf = (name: string): Kind | undefined => {
  const end = name.slice(-64);
  const plain = end.replaceAll(/[_.-]/g, "").toLowerCase();
  if (/^(?:old)?pwd$/.test(plain)) return undefined; // the shell's own: a folder
  if (
    /(?:password|passwd|passphrase|pwd)$/.test(plain) ||
    /(?:^|[_.-])pass$/i.test(end) ||
    /[a-z]Pass$/.test(end)
  )
    return "password";
  return /(?:apikey|secretkey|accesskey|accountkey|privatekey|sharedkey|secret|token|credentials?)$/.test(
    plain,
  )
    ? "key"
    : undefined;
};

const PLACEHOLDER =
  /^(?:[$*.x<%{]|\[REDACTED|(?:your|my|example|changeme|true|false|null|none|undefined|string|process\.env|os\.environ)(?![a-z]*\d)|https?:)/i;
const PROSE =
  /\b(?:must|your|enter|please|required|invalid|incorrect|wrong|should|forgot|confirm|reset|change|least|field|prompt)\b|[?!]$/i;
const isHash = (value: string): boolean => /^[0-9a-f]{40}$/.test(value);
const isLikeKey = (value: string): boolean => value.length >= 12 && /\d/.test(value) && !isHash(value);

const isSecretQuoted = (kind: Kind, value: string): boolean => {
  if (PLACEHOLDER.test(value)) return false;
  if (kind === "key") return isLikeKey(value) && !/\s/.test(value);
  if (isHash(value) || PROSE.test(value)) return false;
  return /\d/.test(value) ? value.length >= 4 : value.length >= 8;
};

const isSecretBare = (
  kind: Kind,
  { name, sign, value }: { name: string; sign: string; value: string },
): boolean => {
  if (PLACEHOLDER.test(value)) return false;
  if (isLikeKey(value)) return true;
  if (kind === "key" || isHash(value) || /^[\d.,:%-]+[a-z]{0,2}$/i.test(value)) return false;
  // As in a shell or an .env file: there nothing else can stand behind the sign.
  if (/^[A-Z][A-Z0-9_]*$/.test(name) && sign === "=") return value.length >= 4;
  return value.length >= 6 && /\d/.test(value) && name.toLowerCase() !== "pass";
};

/** Passwords and keys that stand behind their name: `DB_PASS=…`, `"password": "…"`, `--password …`. */
export const replaceAssigned = (text: string, onSecret: OnSecret): string => {
  let result = "";
  let done = 0;
  NAME_AND_SIGN.lastIndex = 0;
  for (let match = NAME_AND_SIGN.exec(text); match; match = NAME_AND_SIGN.exec(text)) {
    const [, name = "", sign = ""] = match;
    const kind = kindOf(name);
    if (kind === undefined) continue;
    const start = NAME_AND_SIGN.lastIndex;
    QUOTED.lastIndex = BARE.lastIndex = start;
    const quoted = QUOTED.exec(text)?.[2];
    const value = quoted ?? BARE.exec(text)?.[0] ?? "";
    const at = quoted === undefined ? start : start + 1;
    const isSecret =
      quoted === undefined ? isSecretBare(kind, { name, sign, value }) : isSecretQuoted(kind, value);
    // A bare value is not read again, also where it is none: it would be from each of its places.
    if (isSecret || quoted === undefined) NAME_AND_SIGN.lastIndex = Math.max(start, at + value.length);
    if (!isSecret) continue;
    result += text.slice(done, at) + onSecret(value, kind === "password" ? "password" : "secret");
    done = at + value.length;
  }
  return result + text.slice(done);
};

const USER_OPTION =
  /(?<=\s)((?:-u|--user)(?:=|[ \t]{0,4}))(?:(["'])([^:"'\n]{0,200}):([^"'\n]{1,500})\2|([^\s:"']{1,200}):([^\s"']{1,500}))/g;
const FETCHER = /\b(?:curl|wget|https?)\b/;

/** `curl -u user:password`; a number is the group of a container's user. */
export const replaceUserOption = (text: string, onSecret: OnSecret): string =>
  text.replace(
    USER_OPTION,
    (
      whole: string,
      option: string,
      quote: string | undefined,
      quotedUser: string | undefined,
      quoted: string | undefined,
      bareUser: string | undefined,
      bare: string | undefined,
      offset: number,
    ) => {
      const password = quoted ?? bare ?? "";
      if (PLACEHOLDER.test(password) || /^\d+$/.test(password)) return whole;
      if (!FETCHER.test(text.slice(Math.max(0, offset - 400), offset))) return whole;
      const mark = quote ?? "";
      return `${option}${mark}${quotedUser ?? bareUser ?? ""}:${onSecret(password, "password")}${mark}`;
    },
  );
