import { randomUUID } from "node:crypto";
import { AppError } from "../../../core/errors.ts";
import { hashKey, newKey } from "../../auth/key-file.ts";
import { type Access, SHARED_SCOPE } from "../../auth/scopes.ts";
import type { MemoryPorts } from "../answers/ask.ts";
import { needsTime, refuseFaults } from "../answers/meanings.ts";
import type { MemoryKey } from "../../auth/key-store.ts";

export const viewKey = ({ createdAt, ...key }: MemoryKey) => ({
  ...key,
  createdAt: new Date(createdAt).toISOString(),
});

/** Makes a key; its text is in this answer only, what is stored is its hash. */
export const addKey = async (
  ports: MemoryPorts,
  {
    writer,
    access = "write",
    scopes = [SHARED_SCOPE],
  }: { writer: string; access?: "read" | "write" | undefined; scopes?: string[] | undefined },
) => {
  const key = newKey();
  const made: MemoryKey = { id: randomUUID(), writer, access, scopes, createdAt: ports.now() };
  await ports.access.keys.add(made, hashKey(key));
  return { ...viewKey(made), key };
};

export const removeKey = async (ports: MemoryPorts, id: string) => {
  if (!(await ports.access.keys.remove(id))) throw new AppError("not-found", `There is no key ${id}`);
  return { status: "deleted", success: true, id };
};

/** Takes back what one writer did since a time. Another writer's work only the main key may take back. */
export const undoWrites = async (
  ports: MemoryPorts,
  access: Access,
  { writer = access.writer, since }: { writer?: string | undefined; since: string },
) => {
  refuseFaults(`"${since}" is not a date`, needsTime({ since }));
  const time = Date.parse(since);
  if (writer !== access.writer && access.level !== "admin")
    throw new AppError("forbidden", `Only the main key undoes what "${writer}" wrote`);
  await ports.countWrite(access.writer);
  const { removed, restored } = await ports.learnings.undo(writer, time);
  return { writer, since: new Date(time).toISOString(), removed, restored };
};
