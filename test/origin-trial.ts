import { generateKeyPairSync, sign } from "node:crypto";

/** A trial of the test's own: Chromium takes the key with which its tokens are checked from a switch. */
export const openTrial = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const issue = (
    origin: string,
    { expiresAt, feature = "WebMCP" }: { expiresAt: number; feature?: string },
  ) => {
    const payload = Buffer.from(JSON.stringify({ origin, feature, expiry: Math.floor(expiresAt / 1000) }));
    const version = Buffer.from([2]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(payload.length);
    const signature = sign(null, Buffer.concat([version, length, payload]), privateKey);
    return Buffer.concat([version, signature, length, payload]).toString("base64");
  };
  return { chromiumSwitch: `--origin-trial-public-key=${raw.toString("base64")}`, issue };
};
