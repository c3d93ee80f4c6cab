import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { AppError } from "../../../core/errors.ts";

/**
 * A receipt names the learnings that were handed out, signed, so that handing out writes nothing and
 * nobody can credit what was never handed out: `r_<nonce and numbers>.<signature>`.
 */
export type Receipts = { issue: (seqs: readonly number[]) => string; read: (receipt: string) => number[] };

const SIGNATURE_BYTES = 16;
const NONCE_BYTES = 9;

export const createReceipts = (secret: string): Receipts => {
  const sign = (payload: string): Buffer =>
    createHmac("sha256", secret).update(payload).digest().subarray(0, SIGNATURE_BYTES);
  return {
    issue: (seqs) => {
      const payload = `${randomBytes(NONCE_BYTES).toString("base64url")}${seqs.map((seq) => `.${seq.toString(36)}`).join("")}`;
      return `r_${payload}~${sign(payload).toString("base64url")}`;
    },
    read: (receipt) => {
      const match = /^r_([\w.-]{1,2000})~([\w-]{1,64})$/.exec(receipt);
      const payload = match?.[1] ?? "";
      const signature = Buffer.from(match?.[2] ?? "", "base64url");
      const expected = sign(payload);
      if (!match || signature.length !== expected.length || !timingSafeEqual(signature, expected))
        throw new AppError("bad-data", "This is not a receipt of this server", {
          faults: [{ path: "/body/receipt", message: "is not a receipt of this server" }],
        });
      return payload
        .split(".")
        .slice(1)
        .map((text) => Number.parseInt(text, 36));
    },
  };
};
