import { withoutUndefined } from "../../core/without-undefined.ts";
import { inPath, type ServerApi } from "../../client/server-client.ts";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { AppError } from "../../core/errors.ts";
import { type Collected, collectFiles } from "./collect-files.ts";
import { hashFiles, type HashedFile } from "./hash-files.ts";
import { inParallel } from "./in-parallel.ts";

/** What is going on, as it happens; bytes are bytes read or sent, never an estimate. */
export type PublishEvent =
  | { kind: "collected"; files: number; bytes: number; skipped: Collected["skipped"] }
  | { kind: "hashing"; doneBytes: number; bytes: number }
  | { kind: "planned"; plan: ChangePlan; warnings: string[]; files: number; bytes: number }
  | { kind: "uploading"; doneBytes: number; bytes: number; doneFiles: number; files: number }
  | { kind: "activating" };

export type ChangePlan = { added: string[]; changed: string[]; removed: string[]; unchanged: number };
type Missing = { path: string; sha256: string; size: number };

export type PublishRequest = {
  folder: string;
  site: string;
  mode: "live" | "preview" | "dry-run";
  message?: string | undefined;
  /** the run of the worker whose session publishes */
  run?: string | undefined;
  parallel: number;
};

export type Published = {
  site: string;
  mode: PublishRequest["mode"];
  files: number;
  bytes: number;
  uploadedFiles: number;
  uploadedBytes: number;
  plan: ChangePlan;
  warnings: string[];
  skipped: Collected["skipped"];
  deploymentId?: string;
  siteUrl?: string;
  previewUrl?: string;
  /** false when what is live has these files already */
  changed: boolean;
};

export type PublishPorts = {
  /** what may be sent again when it gets lost, and what is sent once */
  server: { repeating: ServerApi; once: ServerApi };
  signal: AbortSignal;
  onEvent: (event: PublishEvent) => void;
};

const sum = (items: readonly { size: number }[]): number =>
  items.reduce((total, { size }) => total + size, 0);

const readHashed = async ({ signal, onEvent }: PublishPorts, folder: string) => {
  const { files, skipped } = await collectFiles(folder);
  const bytes = sum(files);
  onEvent({ kind: "collected", files: files.length, bytes, skipped });
  let doneBytes = 0;
  const hashed = await hashFiles(files, {
    signal,
    onBytes: (count) => {
      doneBytes += count;
      onEvent({ kind: "hashing", doneBytes, bytes });
    },
  });
  return { files: hashed, skipped, bytes };
};

const uploadMissing = async (
  { server, onEvent }: PublishPorts,
  { id, missing, files, parallel }: { id: string; missing: Missing[]; files: HashedFile[]; parallel: number },
): Promise<void> => {
  const bytes = sum(missing);
  const done = { files: 0, bytes: 0 };
  const tell = () => {
    onEvent({
      kind: "uploading",
      doneBytes: done.bytes,
      bytes,
      doneFiles: done.files,
      files: missing.length,
    });
  };
  tell();
  // The largest first: the last connection is then not left alone with the longest upload.
  const queue = [...missing].sort((a, b) => b.size - a.size);
  await inParallel(queue, parallel, async ({ path, sha256, size }) => {
    const local = files.find((file) => file.path === path);
    if (!local) throw new AppError("conflict", `the server asks for ${path}, which is not in the folder`);
    const content = await readFile(local.file);
    if (content.byteLength !== size)
      throw new AppError("conflict", `${path} has changed while it was published; run the command again`);
    const digest = Buffer.from(sha256, "hex").toString("base64");
    await server.repeating.call((client) =>
      client.api.deployments({ id: inPath(id) }).assets.put(undefined, {
        query: { path },
        headers: { "content-type": "application/octet-stream", "content-digest": `sha-256=:${digest}:` },
        fetch: { body: content },
      }),
    );
    done.files += 1;
    done.bytes += size;
    tell();
  });
};

const ACTIVATION_ATTEMPTS = 4;

/**
 * Activates once. When the answer got lost, the deployment itself says whether it went live: asking blindly
 * again could undo what somebody newer has put live since.
 */
const activate = async ({ server }: PublishPorts, id: string): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await server.once.call((client) => client.api.deployments({ id: inPath(id) }).activate.post());
      return;
    } catch (error) {
      const isLost =
        error instanceof AppError && (error.code === "unavailable" || error.code === "rate-limited");
      if (!isLost || attempt >= ACTIVATION_ATTEMPTS) throw error;
      const { status } = await server.repeating.call((client) =>
        client.api.deployments({ id: inPath(id) }).get(),
      );
      if (status !== "pending") return;
    }
  }
};

const findLive = async ({ server }: PublishPorts, site: string) => {
  try {
    return await server.repeating.call((client) => client.api.sites({ name: inPath(site) }).get());
  } catch (error) {
    if (error instanceof AppError && error.code === "not-found") return undefined;
    throw error;
  }
};

const isEmpty = ({ added, changed, removed }: ChangePlan): boolean =>
  added.length + changed.length + removed.length === 0;

/**
 * Publishes a folder: hashes it, asks what is missing, uploads that in parallel, and puts it live (or leaves
 * it as a preview, or only says what would change). What is live and the same already is left alone.
 */
export const publishFolder = async (ports: PublishPorts, request: PublishRequest): Promise<Published> => {
  const { site, mode, message, run, parallel } = request;
  const { files, skipped, bytes } = await readHashed(ports, request.folder);
  const manifest = files.map(({ path, size, sha256 }) => ({ path, size, sha256 }));
  const { repeating } = ports.server;
  const { plan, missing, warnings } = await repeating.call((client) =>
    client.api.sites({ name: inPath(site) }).deployments.post({ manifest, dryRun: true }),
  );
  const change = {
    added: plan.added,
    changed: plan.changed,
    removed: plan.removed,
    unchanged: plan.unchanged,
  };
  ports.onEvent({ kind: "planned", plan: change, warnings, files: missing.length, bytes: sum(missing) });
  const done: Published = {
    site,
    mode,
    files: files.length,
    bytes,
    uploadedFiles: 0,
    uploadedBytes: 0,
    plan: change,
    warnings,
    skipped,
    changed: !isEmpty(change),
  };
  if (mode === "dry-run") return done;
  const live = isEmpty(change) ? await findLive(ports, site) : undefined;
  if (live?.active)
    return {
      ...done,
      deploymentId: live.active.id,
      siteUrl: live.siteUrl,
      previewUrl: live.active.previewUrl,
    };
  const headers = { "idempotency-key": randomUUID() };
  const created = await repeating.call((client) =>
    client.api
      .sites({ name: inPath(site) })
      .deployments.post(withoutUndefined({ manifest, message, run }), { headers }),
  );
  if (!("deployment" in created)) throw new AppError("internal", "the server only planned the deployment");
  const { id } = created.deployment;
  await uploadMissing(ports, { id, missing: created.missing, files, parallel });
  if (mode === "live") {
    ports.onEvent({ kind: "activating" });
    await activate(ports, id);
  }
  return {
    ...done,
    uploadedFiles: created.missing.length,
    uploadedBytes: sum(created.missing),
    deploymentId: id,
    siteUrl: created.siteUrl,
    previewUrl: created.previewUrl,
  };
};
