import { createHash } from "node:crypto";
import { withoutUndefined } from "../../core/without-undefined.ts";
import { AppError } from "../../core/errors.ts";
import { Type } from "../../core/schema.ts";
import type { Principal } from "../auth/authenticate.ts";
import { type ApiSide, askApi, requireToken } from "./ask-api.ts";
import { declareTool, type ServerTool } from "./tool.ts";

const may = ({ actions }: Principal, action: Principal["actions"][number]): boolean =>
  actions.includes(action) || actions.includes("admin");

const NewFile = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 1024, description: "as in index.html or assets/app.js" }),
    text: Type.Optional(Type.String({ description: "what is in it" })),
    base64: Type.Optional(Type.String({ description: "the same of a file that is no text" })),
  },
  { additionalProperties: false },
);

export type PublishSide = ApiSide & {
  /** how the server is reached from outside, behind a proxy */
  publicUrl: string | undefined;
};

type File = { path: string; bytes: Uint8Array<ArrayBuffer>; sha256: string };

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const readFile = ({ path, text, base64 }: { path: string; text?: string; base64?: string }): File => {
  if ((text === undefined) === (base64 === undefined))
    throw new AppError("bad-data", `"${path}" needs its text or its base64, one of the two`);
  if (base64 !== undefined && !BASE64.test(base64))
    throw new AppError("bad-data", `"${path}": base64 is not valid`);
  const bytes = Uint8Array.from(
    text === undefined ? Buffer.from(base64 ?? "", "base64") : Buffer.from(text, "utf8"),
  );
  return { path, bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
};

type Created = {
  deployment: { id: string };
  previewUrl: string;
  siteUrl: string;
  missing: { path: string; sha256: string }[];
  warnings: string[];
};

/** A whole small site in one call. */
export const PUBLISH_TOOL: ServerTool<PublishSide> = declareTool({
  name: "publish",
  description:
    "Publish a small site: all its files in one call, index.html among them. It goes live where the token may activate; otherwise it is uploaded and waits for somebody who may. Answers with its address.",
  input: Type.Object(
    {
      site: Type.String({ minLength: 1, maxLength: 63, description: "name of the site, as in docs" }),
      files: Type.Array(NewFile, { minItems: 1, maxItems: 500 }),
      message: Type.Optional(Type.String({ maxLength: 500, description: "what changed, for the history" })),
      run: Type.Optional(
        Type.String({ maxLength: 64, description: "in a worker's session: NIGHTSHIFT_RUN" }),
      ),
      preview: Type.Optional(Type.Boolean({ description: "only upload it, to look at first" })),
    },
    { additionalProperties: false },
  ),
  isReadOnly: false,
  isDestructive: true,
  isOffered: (principal) => principal !== undefined && may(principal, "upload"),
  allow: ({ auth }: PublishSide, request) => requireToken(auth, request),
  run: async ({ ports, request, allowed }, { site, files, message, run, preview }) => {
    const read = files.map(readFile);
    const created = await askApi<Created>(ports, request, {
      method: "POST",
      path: `/api/sites/${encodeURIComponent(site)}/deployments`,
      json: {
        manifest: read.map(({ path, bytes, sha256 }) => ({ path, size: bytes.byteLength, sha256 })),
        ...withoutUndefined({ message, run }),
      },
    });
    const { id } = created.deployment;
    for (const { sha256 } of created.missing) {
      const bytes = read.find((file) => file.sha256 === sha256)?.bytes;
      if (bytes === undefined)
        throw new AppError("internal", `the server misses ${sha256}, which nobody named`);
      await askApi(ports, request, {
        method: "PUT",
        path: `/api/deployments/${id}/assets?sha256=${sha256}`,
        bytes,
      });
    }
    const about = { deployment: id, previewUrl: created.previewUrl, warnings: created.warnings };
    if (preview === true) return JSON.stringify({ status: "preview", ...about });
    if (!may(allowed, "activate"))
      return JSON.stringify({
        status: "waits for approval",
        ...about,
        approve: new URL(`/app/sites/${encodeURIComponent(site)}`, ports.publicUrl ?? request.url).href,
        why: `The token "${allowed.label}" may not activate; somebody who may puts it live there`,
      });
    const path = `/api/deployments/${id}/activate`;
    const { siteUrl } = await askApi<{ siteUrl: string }>(ports, request, { method: "POST", path });
    return JSON.stringify({ status: "live", url: siteUrl, ...about });
  },
});
