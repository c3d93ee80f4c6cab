import { AppError } from "../../core/errors.ts";
import type { QueueDesk } from "../../queue/desk.ts";

/** Opens the queue of the server's database at its first use; undefined where the server has no such database. */
export type QueuePorts = { open: (() => Promise<QueueDesk>) | undefined };

/** Opens once; what failed to open is tried again by the next who asks. */
export const openOnce = (open: () => Promise<QueueDesk>): (() => Promise<QueueDesk>) => {
  let opening: Promise<QueueDesk> | undefined;
  return () =>
    (opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));
};

/** @throws AppError `not-found` on a server without a queue */
export const getDesk = async ({ open }: QueuePorts): Promise<QueueDesk> => {
  if (open) return open();
  throw new AppError(
    "not-found",
    "This server has no queue: it needs a PostgreSQL database (docs/scale.md). Start it with DATABASE_URL.",
  );
};
