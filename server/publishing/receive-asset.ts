import { AppError } from "../../core/errors.ts";
import type { PublishingApi } from "./api.ts";
import type { PublishingPorts } from "./ports.ts";
import { storeAsset } from "./store-asset.ts";
import { readUpload, UPLOAD_PACE, type UploadPace } from "./upload-body.ts";

/** The SHA-256 (hex) that a `Content-Digest` or `Repr-Digest` header claims (RFC 9530), if it claims one. */
const readDigestHeader = (header: string | null): string | undefined => {
  const match = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(header ?? "");
  if (match?.[1]) return Buffer.from(match[1], "base64").toString("hex");
  if (header && /sha-256/i.test(header))
    throw new AppError("bad-data", `Content-Digest "${header.slice(0, 120)}" is not sha-256=:<base64>:`);
  return undefined;
};

const MAX_UPLOADS_PER_TOKEN = 64;

/** Counts uploads under way, so that one token cannot hold every connection and file handle. */
const createUploadSlots = () => {
  const running = new Map<string, number>();
  return async <T>(token: string, work: () => Promise<T>): Promise<T> => {
    const count = running.get(token) ?? 0;
    if (count >= MAX_UPLOADS_PER_TOKEN)
      throw new AppError("rate-limited", `${count} uploads of this token are under way; send fewer at once`, {
        details: { retryAfterSeconds: 1, limit: MAX_UPLOADS_PER_TOKEN },
      });
    running.set(token, count + 1);
    try {
      return await work();
    } finally {
      const left = (running.get(token) ?? 1) - 1;
      if (left > 0) running.set(token, left);
      else running.delete(token);
    }
  };
};

const readLength = (request: Request): number | undefined => {
  const header = request.headers.get("content-length");
  return header === null ? undefined : Number(header);
};

/** The upload of one asset over HTTP. Everything that the headers show to be wrong is refused unread. */
export const createAssetReceiver = (
  ports: PublishingPorts,
  { allowed }: Pick<PublishingApi, "allowed">,
  pace: UploadPace = UPLOAD_PACE,
) => {
  const inSlot = createUploadSlots();
  return async (
    request: Request,
    id: string,
  ): Promise<{ ok: true; path: string; sha256: string; size: number }> => {
    const { principal, deployment } = await allowed(request, id, "upload");
    const coding = request.headers.get("content-encoding");
    if (coding !== null && coding.toLowerCase() !== "identity")
      throw new AppError(
        "unsupported-media-type",
        `Content-Encoding ${coding.slice(0, 40)}: send the file's own bytes`,
      );
    const query = new URL(request.url).searchParams;
    const upload = {
      path: query.get("path") ?? undefined,
      sha256: query.get("sha256") ?? undefined,
      claimedSha256:
        readDigestHeader(request.headers.get("content-digest")) ??
        readDigestHeader(request.headers.get("repr-digest")),
      contentLength: readLength(request),
    };
    const body = readUpload(request.body, ports.limits.maxFileBytes, pace);
    const { path, sha256, size } = await inSlot(principal.tokenId, () =>
      storeAsset(ports, { deployment, upload, body }),
    );
    return { ok: true, path, sha256, size };
  };
};
