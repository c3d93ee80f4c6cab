import { createHash, sign, verify } from "node:crypto";
import { parseJson } from "../../core/parse-json.ts";
import { type CheckingKey, type SigningKey, publicText, readPublicKey } from "./keys.ts";

/** DSSE (github.com/secure-systems-lab/dsse): a payload and who signed it. */
export type Envelope = {
  payloadType: string;
  payload: string;
  signatures: [{ keyid: string; sig: string; publicKey: string }];
  /** digests of the payload's parts, signed as well: by them a changed part is named */
  parts: { digests: Record<string, string>; sig: string };
};

export const PAYLOAD_TYPE = "application/vnd.in-toto+json";

/** Pre-authentication encoding: what is signed is the type together with the payload. */
const encode = (type: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `), body]);

const signed = ({ secret }: SigningKey, type: string, body: Buffer): string =>
  sign(null, encode(type, body), secret).toString("base64");

const PARTS_TYPE = "application/vnd.nightshift.parts+json";
const DEPTH = 4;

const digestsOf = (value: unknown, path = "", depth = 0): [string, string][] =>
  depth < DEPTH && typeof value === "object" && value !== null && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([key, inner]) =>
        digestsOf(inner, path === "" ? key : `${path}.${key}`, depth + 1),
      )
    : [[path, createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22)]];

/** The envelope as it is written: one text for one content, so that no byte is without meaning. */
export const writeEnvelope = ({ payloadType, payload, signatures: [first], parts }: Envelope): string =>
  JSON.stringify({
    payloadType,
    payload,
    signatures: [{ keyid: first.keyid, sig: first.sig, publicKey: first.publicKey }],
    parts: { digests: parts.digests, sig: parts.sig },
  });

export const sealStatement = (key: SigningKey, statement: object): Envelope => {
  const body = Buffer.from(JSON.stringify(statement));
  const digests = Object.fromEntries(digestsOf(JSON.parse(body.toString("utf8"))));
  return {
    payloadType: PAYLOAD_TYPE,
    payload: body.toString("base64"),
    signatures: [{ keyid: key.id, sig: signed(key, PAYLOAD_TYPE, body), publicKey: publicText(key) }],
    parts: { digests, sig: signed(key, PARTS_TYPE, Buffer.from(JSON.stringify(digests))) },
  };
};

/** What an envelope holds, and what is wrong with it: every fault names the part. */
export type Opened = { statement: unknown; keyId: string | undefined; faults: string[] };

const isEnvelope = (value: unknown): value is Envelope => {
  const { payloadType, payload, signatures, parts } = (value ?? {}) as Partial<Envelope>;
  const first = Array.isArray(signatures) ? (signatures as unknown[])[0] : undefined;
  const { keyid, sig, publicKey } = (first ?? {}) as Record<string, unknown>;
  return (
    [payloadType, payload, keyid, sig, publicKey, parts?.sig].every((text) => typeof text === "string") &&
    typeof parts?.digests === "object"
  );
};

/** Reads an envelope and checks it against the keys that are trusted. */
export const openEnvelope = (text: string, trusted: readonly CheckingKey[]): Opened => {
  const broken = (fault: string): Opened => ({ statement: undefined, keyId: undefined, faults: [fault] });
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch {
    return broken("it is no longer JSON");
  }
  if (!isEnvelope(envelope)) return broken("it is not an envelope: payload or signature is missing");
  const faults: string[] = [];
  const [{ keyid, sig, publicKey }] = envelope.signatures;
  const key = trusted.find(({ id }) => id === keyid);
  const shown = findShownKey(publicKey);
  if (!shown) faults.push("signatures.0.publicKey: is not a key");
  else if (shown.id !== keyid) faults.push("signatures.0: keyid and publicKey do not belong together");
  const checking = key ?? trusted.find(({ id }) => id === shown?.id) ?? shown;
  if (!checking) return { statement: undefined, keyId: undefined, faults };
  if (!key)
    faults.push(
      `signatures.0.keyid: no key is known by the name ${keyid.slice(0, 16)}…; name it with --key <file>`,
    );
  const body = Buffer.from(envelope.payload, "base64");
  const statement = parseJson(body.toString("utf8"));
  if (envelope.payloadType !== PAYLOAD_TYPE)
    faults.push(`payloadType: is ${envelope.payloadType}, not ${PAYLOAD_TYPE}`);
  const isBy = (type: string, bytes: Buffer, by: string): boolean =>
    verify(null, encode(type, bytes), checking.open, Buffer.from(by, "base64"));
  const isSigned = isBy(PAYLOAD_TYPE, body, sig);
  const { parts } = envelope;
  const arePartsSigned = isBy(PARTS_TYPE, Buffer.from(JSON.stringify(parts.digests)), parts.sig);
  if (!arePartsSigned) faults.push("parts: the list of digests, or its signature, was changed");
  if (!isSigned) faults.push(...nameChanges(statement, arePartsSigned ? parts.digests : undefined));
  const canonical = writeEnvelope(inOneForm(envelope, checking));
  if (faults.length === 0 && text !== canonical && text !== `${canonical}\n`)
    faults.push(`byte ${firstDifference(canonical, text)}: was changed, without a change of what it says`);
  return { statement, keyId: key?.id, faults };
};

const reencode = (text: string): string => Buffer.from(text, "base64").toString("base64");

/** What an envelope says can be spelled in many ways; one of them is how it was written. */
const inOneForm = (
  { signatures: [first], parts, ...envelope }: Envelope,
  { open }: CheckingKey,
): Envelope => {
  const publicKey = open.export({ type: "spki", format: "pem" }).toString();
  return {
    ...envelope,
    payload: reencode(envelope.payload),
    signatures: [{ keyid: first.keyid, sig: reencode(first.sig), publicKey }],
    parts: { digests: parts.digests, sig: reencode(parts.sig) },
  };
};

const findShownKey = (text: string): CheckingKey | undefined => {
  try {
    return readPublicKey(text, "the receipt");
  } catch {
    return undefined;
  }
};

const nameChanges = (statement: unknown, digests: Record<string, string> | undefined): string[] => {
  if (statement === undefined) return ["payload: was changed, and is no longer JSON"];
  if (!digests) return ["payload: it and its signature do not belong together"];
  const now = new Map(digestsOf(statement));
  const changed = Object.entries(digests).flatMap(([path, digest]) => {
    const is = now.get(path);
    return is === digest ? [] : [`${path}: was ${is === undefined ? "removed" : "changed"}`];
  });
  const added = [...now.keys()]
    .filter((path) => !Object.hasOwn(digests, path))
    .map((path) => `${path}: was added`);
  const named = [...changed, ...added];
  return named.length > 0 ? named : ["signatures.0.sig: was changed, or the payload's spacing"];
};

const firstDifference = (a: string, b: string): number => {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
};
