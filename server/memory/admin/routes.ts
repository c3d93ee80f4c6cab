import { Elysia } from "elysia";
import { type Static, Type } from "../../../core/schema.ts";
import { getRequestInfo } from "../../http/request-info.ts";
import { documented } from "../../http/route-docs.ts";
import { authorize, authorizeFirst } from "../../auth/memory-access.ts";
import { DeleteAnswer } from "../answers/answers.ts";
import type { MemoryPorts } from "../answers/ask.ts";
import { KeyBody, UndoBody } from "../answers/schemas.ts";
import { addKey, KeyView, NewKeyView, removeKey, UndoAnswer, undoWrites, viewKey } from "./keys.ts";

const KeysAnswer = Type.Object({ keys: Type.Array(KeyView) });
/** Who may write, and taking back what they wrote. */
export const adminRoutes = (ports: MemoryPorts) => {
  const mayWrite = authorizeFirst(ports.access, "write");
  const mayAdministrate = authorizeFirst(ports.access, "admin");
  return new Elysia({ name: "memory-admin", tags: ["memory"] })
    .post(
      "/keys",
      async ({ body, request, set }) => {
        await authorize(ports.access, request, "admin");
        set.status = 201;
        const made = await addKey(ports, body);
        getRequestInfo(request).subject =
          `${made.access} key of ${made.writer} for ${made.scopes.join(", ")}`;
        return made;
      },
      {
        ...mayAdministrate.json,
        body: KeyBody,
        ...documented({
          summary: "Makes a key for another writer; it is shown this once",
          auth: true,
          status: 201,
          response: NewKeyView,
          errors: ["bad-data", "unauthorized", "forbidden", "conflict"],
        }),
      },
    )
    .get(
      "/keys",
      async ({ request }): Promise<Static<typeof KeysAnswer>> => {
        await authorize(ports.access, request, "admin");
        return { keys: (await ports.access.keys.list()).map(viewKey) };
      },
      documented({
        summary: "The keys, without their secrets",
        auth: true,
        response: KeysAnswer,
        errors: ["unauthorized", "forbidden"],
      }),
    )
    .delete(
      "/keys/:id",
      async ({ params, request }) => {
        await authorize(ports.access, request, "admin");
        return removeKey(ports, params.id);
      },
      documented({
        summary: "Revokes a key at once",
        auth: true,
        response: DeleteAnswer,
        errors: ["not-found", "unauthorized", "forbidden"],
      }),
    )
    .post(
      "/undo",
      async ({ body, request }) => undoWrites(ports, await authorize(ports.access, request, "write"), body),
      {
        ...mayWrite.json,
        body: UndoBody,
        ...documented({
          summary: "Takes back everything that one writer wrote since a time",
          description:
            "New learnings go, changed and deleted ones come back, outcomes lose their credit. Reaches back 30 days.",
          auth: true,
          response: UndoAnswer,
          errors: ["bad-data", "unauthorized", "forbidden", "rate-limited"],
        }),
      },
    );
};
