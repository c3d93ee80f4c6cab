import { createHash } from "node:crypto";

const HEX = "0123456789abcdef";
const DEPLOYMENT_ID = "0123456789abcdefghjkmnpqrstvwxyz";
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** What is another one in each run, and the characters that it is made of. */
const DRAWN: [RegExp, alphabet: string][] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, HEX],
  [/(?<=\btok_)[0-9a-f]{16}/g, HEX],
  [/(?<=memory-reference id=\\")[0-9a-f]{12}/g, HEX],
  [/(?<="(?:digest|previous)":"|"newest":"\d+:)[0-9a-f]{64}/g, HEX],
  [/(?<="r_)[\w-]{12}(?=\.)/g, BASE64URL],
  [/(?<="r_[\w.-]+~)[\w-]{22}/g, BASE64URL],
  [/(?<="publicKey":"B)[\w-]{86}/g, BASE64URL],
  // A command's id, before a deployment's, which has the same length and fewer characters.
  [/(?<="id":")[\w-]{16}(?=","(?:run|worker)":)/g, BASE64URL],
  [/(?<=["/])[0-9a-z]{16}(?=["/]|--)/g, DEPLOYMENT_ID],
];

/** Secrets, and the little that depends on the machine. */
const WRITTEN: [RegExp, instead: string][] = [
  [/(?<="nightshift_)[\w-]+/g, "…"],
  [/(?<="nsm_)[\w-]+/g, "…"],
  [/(?<="privateKey":")[\w-]+/g, "…"],
  [/(?<="session":")[0-9a-f]{16}\.[\w-]+/g, "…"],
  [/(?<=localhost:)\d+/g, "4747"],
  [/(?<="duration_ms":)[\d.]+/g, "1.3"],
  [/(?<=_resident_memory_bytes )\d+/g, "98566144"],
];

/** Another value of the same shape, always the same one for a seed. */
const draw = (value: string, alphabet: string, seed: string): string => {
  const bytes = createHash("shake256", { outputLength: value.length }).update(seed).digest();
  return value.replaceAll(/./g, (one, at: number) =>
    alphabet.includes(one) ? (alphabet[(bytes[at] ?? 0) % alphabet.length] ?? one) : one,
  );
};

/** Puts a fixed value in the place of each that changes from run to run: the same one by the same one. */
export const createFixedValues = (): ((text: string) => string) => {
  const drawn = DRAWN.map(() => new Map<string, string>());
  const fixed = (value: string, rule: number): string => {
    const known = drawn[rule] ?? new Map<string, string>();
    const instead = known.get(value) ?? draw(value, DRAWN[rule]?.[1] ?? "", `${rule} ${known.size}`);
    known.set(value, instead);
    return instead;
  };
  return (text) => {
    const written = WRITTEN.reduce((all, [found, instead]) => all.replaceAll(found, instead), text);
    return DRAWN.reduce(
      (all, [found], rule) => all.replaceAll(found, (value) => fixed(value, rule)),
      written,
    );
  };
};
