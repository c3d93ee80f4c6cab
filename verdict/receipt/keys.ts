import {
  type KeyObject,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
} from "node:crypto";
import { linkSync } from "node:fs";
import { join } from "node:path";
import { removeQuietly, temporaryBeside, writeFileDurably } from "../../core/durable-file.ts";
import { AppError, systemCode } from "../../core/errors.ts";
import { type Environment, nightshiftHome } from "../../core/paths.ts";
import { readFileIfThere } from "../../core/read-file.ts";

/** What a receipt is signed with, and what it is checked by. */
export type SigningKey = { secret: KeyObject; id: string };
export type CheckingKey = { open: KeyObject; id: string };

const keyPath = (env: Environment): string => join(nightshiftHome(env), "keys", "receipts.pem");

/** The name of a key: SHA-256 over its public half. */
const idOf = (open: KeyObject): string =>
  createHash("sha256")
    .update(open.export({ type: "spki", format: "der" }))
    .digest("hex");

const readKey = (path: string, text: string): SigningKey => {
  try {
    const secret = createPrivateKey(text);
    return { secret, id: idOf(createPublicKey(secret)) };
  } catch (error) {
    throw new AppError("config", `${path} is not a private key; move it away, and a new one will be made`, {
      cause: error,
    });
  }
};

/** The key of this user, made when it is first needed; of two who make one at once, one's counts. */
export const ownKey = (env: Environment): SigningKey => {
  const path = keyPath(env);
  const known = readFileIfThere(path);
  if (known !== undefined) return readKey(path, known);
  const { privateKey } = generateKeyPairSync("ed25519");
  const made = temporaryBeside(path);
  writeFileDurably(made, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  try {
    linkSync(made, path);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  } finally {
    removeQuietly(made);
  }
  return readKey(path, readFileIfThere(path) ?? "");
};

/** This user's key, when there is one. */
export const findOwnKey = (env: Environment): CheckingKey | undefined => {
  const path = keyPath(env);
  const text = readFileIfThere(path);
  if (text === undefined) return undefined;
  const { secret, id } = readKey(path, text);
  return { open: createPublicKey(secret), id };
};

export const publicText = ({ secret }: SigningKey): string =>
  createPublicKey(secret).export({ type: "spki", format: "pem" }).toString();

/** @throws AppError `bad-data` for a text that is no public key */
export const readPublicKey = (text: string, source: string): CheckingKey => {
  try {
    const open = createPublicKey(text);
    return { open, id: idOf(open) };
  } catch (error) {
    throw new AppError("bad-data", `${source} holds no public key`, { cause: error });
  }
};
