import { Elysia } from "elysia";
import { Type } from "../../core/schema.ts";
import { authenticate, type AuthPorts, requireAction } from "../auth/authenticate.ts";
import { documented } from "../http/route-docs.ts";
import { toWebStream } from "../http/web-stream.ts";
import type { BackupPorts } from "./backup.ts";

/** A copy of everything while the server runs. */
export const backupRoutes = ({ auth, backup }: { auth: AuthPorts; backup: BackupPorts }) =>
  new Elysia({ name: "backup", tags: ["system"] }).get(
    "/api/backup",
    async ({ request }) => {
      requireAction(await authenticate(auth, request), "admin");
      const { createBackup } = await import("./backup.ts");
      return new Response(toWebStream(createBackup(backup)), {
        headers: { "content-type": "application/x-tar" },
      });
    },
    documented({
      summary: "Everything the server knows, as one tar",
      description: "`nightshift backup <file>` writes it, `nightshift restore <file>` puts it back.",
      auth: true,
      contentType: "application/x-tar",
      response: Type.String(),
      errors: ["unauthorized", "forbidden", "conflict", "storage-full"],
    }),
  );
