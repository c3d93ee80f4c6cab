import { randomUUID } from "node:crypto";
import { AppError } from "../../../core/errors.ts";
import { type Static, Type } from "../../../core/schema.ts";
import { hashKey, newKey } from "../../auth/key-file.ts";
import { type Access, SHARED_SCOPE } from "../../auth/scopes.ts";
import type { DeleteAnswer } from "../answers/answers.ts";
import type { MemoryPorts } from "../answers/ask.ts";
import { iso } from "../../../core/clock.ts";
import { needsTime, refuseFaults } from "../answers/meanings.ts";
import type { MemoryKey } from "../../auth/key-store.ts";

export const KeyView = Type.Object({
  id: Type.String(),
  writer: Type.String(),
  access: Type.String(),
  scopes: Type.Array(Type.String()),
  createdAt: Type.String(),
});
export const NewKeyView = Type.Intersect([KeyView, Type.Object({ key: Type.String() })]);
export const UndoAnswer = Type.Object({
  writer: Type.String(),
  since: Type.String(),
  removed: Type.Array(Type.String()),
  restored: Type.Array(Type.String()),
});

export const viewKey = ({ createdAt, ...key }: MemoryKey): Static<typeof KeyView> => ({
  ...key,
  createdAt: iso(createdAt),
});

/** Makes a key; its text is in this answer only, what is stored is its hash. */
export const addKey = async (
  ports: MemoryPorts,
  {
    writer,
    access = "write",
    scopes = [SHARED_SCOPE],
  }: { writer: string; access?: "read" | "write" | undefined; scopes?: string[] | undefined },
): Promise<Static<typeof NewKeyView>> => {
  const key = newKey();
  const made: MemoryKey = { id: randomUUID(), writer, access, scopes, createdAt: ports.now() };
  await ports.access.keys.add(made, hashKey(key));
  return { ...viewKey(made), key };
};

export const removeKey = async (ports: MemoryPorts, id: string): Promise<Static<typeof DeleteAnswer>> => {
  if (!(await ports.access.keys.remove(id))) throw new AppError("not-found", `There is no key ${id}`);
  return { status: "deleted", success: true, id };
};

/** Takes back what one writer did since a time. Another writer's work only the main key may take back. */
export const undoWrites = async (
  ports: MemoryPorts,
  access: Access,
  { writer = access.writer, since }: { writer?: string | undefined; since: string },
): Promise<Static<typeof UndoAnswer>> => {
  refuseFaults(`"${since}" is not a date`, needsTime({ since }));
  const time = Date.parse(since);
  if (writer !== access.writer && access.level !== "admin")
    throw new AppError("forbidden", `Only the main key undoes what "${writer}" wrote`);
  await ports.countWrite(access.writer);
  const { removed, restored } = await ports.learnings.undo(writer, time);
  return { writer, since: iso(time), removed, restored };
};
