import { createECDH } from "node:crypto";
import { expect, test } from "vitest";
import { encodePrivateKey } from "./store.ts";

test("a private key that begins with zeros is still the one of its public key", () => {
  for (const zeros of [0, 1, 2]) {
    const pair = createECDH("prime256v1");
    pair.setPrivateKey(Buffer.concat([Buffer.alloc(zeros), Buffer.alloc(32 - zeros, 7)]));
    const text = encodePrivateKey(pair.getPrivateKey());
    expect(text).toHaveLength(43);
    const read = createECDH("prime256v1");
    read.setPrivateKey(Buffer.from(text, "base64url"));
    expect(read.getPublicKey("hex")).toBe(pair.getPublicKey("hex"));
  }
});
