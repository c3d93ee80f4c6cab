import { Elysia, t } from "elysia";
import { Type } from "../../core/schema.ts";
import { authenticate, type AuthPorts, requireAction } from "../auth/authenticate.ts";
import { authenticateFirst } from "../auth/authenticate-first.ts";
import { documented } from "../http/route-docs.ts";
import { toWebStream } from "../http/web-stream.ts";
import type { SecurityLog } from "./recorder.ts";
import { readMark, Verdict } from "./chain.ts";
import { readLines, verifyStore } from "./store.ts";

const NDJSON = "application/x-ndjson";

/** The security log: sign-ins, refusals, changes of access. */
export const securityLogRoutes = ({ auth, log }: { auth: AuthPorts; log: SecurityLog }) => {
  const admin = authenticateFirst(async (request) =>
    requireAction(await authenticate(auth, request), "admin"),
  );
  return new Elysia({ name: "security-log", tags: ["security"] })
    .get(
      "/api/security-log",
      async ({ query }) => {
        await log.flush();
        const { number } = await log.store.head();
        const after = query.last === undefined ? (query.after ?? 0) : Math.max(0, number - query.last);
        return new Response(toWebStream(encoded(readLines(log.store, { after, upTo: number }))), {
          headers: {
            "content-type": NDJSON,
            "cache-control": "no-store",
            "content-disposition": 'attachment; filename="security-log.jsonl"',
          },
        });
      },
      {
        ...admin.plain,
        query: t.Object({
          after: t.Optional(
            t.Integer({ minimum: 0, description: "only lines behind the one of this number" }),
          ),
          last: t.Optional(t.Integer({ minimum: 1, description: "only so many of the newest lines" })),
        }),
        ...documented({
          summary: "The security log as JSON lines, oldest first",
          description:
            "Each line carries the digest of the one before it (`previous`) and its own: the SHA-256 of its JSON without `digest`. `again` counts repeats of a line that came before.",
          auth: true,
          contentType: NDJSON,
          response: Type.String(),
          errors: ["bad-data", "unauthorized", "forbidden"],
        }),
      },
    )
    .get("/api/security-log/verify", ({ query }) => verifyStore(log.store, readMark(query.seen ?? "")), {
      ...admin.plain,
      query: t.Object({
        seen: t.Optional(
          t.String({
            pattern: "^\\d{1,15}:[0-9a-f]{64}$",
            description: "`newest` of an earlier answer: whether the log still has that very line",
          }),
        ),
      }),
      ...documented({
        summary: "Whether the security log is as it was written",
        description:
          "`fault` names the first line that was changed, removed, added or moved. `newest` is the number and digest of the last line: noted on another machine and given as `seen` later, it shows a log that was cut or rewritten with all its digests.",
        auth: true,
        response: Verdict,
        errors: ["bad-data", "unauthorized", "forbidden"],
      }),
    });
};

async function* encoded(lines: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const line of lines) yield encoder.encode(`${line}\n`);
}
