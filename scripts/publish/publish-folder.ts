import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { AppError } from "../../core/errors.ts";
import { type Collected, collectFiles } from "./collect-files.ts";
import { hashFiles, type HashedFile } from "./hash-files.ts";
import { inParallel } from "./in-parallel.ts";
import type { ServerClient } from "./server-client.ts";

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
  client: ServerClient;
  signal: AbortSignal;
  onEvent: (event: PublishEvent) => void;
};

type PlanAnswer = { plan: ChangePlan; missing: Missing[]; warnings: string[] };
type CreateAnswer = {
  deployment: { id: string };
  siteUrl: string;
  previewUrl: string;
  missing: Missing[];
  warnings: string[];
};
type SiteAnswer = {
  activeDeploymentId?: string;
  siteUrl: string;
  active?: { id: string; previewUrl: string };
};

const sum = (items: readonly { size: number }[]): number =>
  items.reduce((total, { size }) => total + size, 0);

const askJson = <T>({ client }: PublishPorts, path: string, value: unknown, key?: string): Promise<T> =>
  client.json<T>({
    method: "POST",
    path,
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) },
    body: JSON.stringify(value),
  });

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
  { client, onEvent }: PublishPorts,
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
    const query = `path=${encodeURIComponent(path)}`;
    const digest = Buffer.from(sha256, "hex").toString("base64");
    await client.json({
      method: "PUT",
      path: `/api/deployments/${id}/assets?${query}`,
      headers: { "content-type": "application/octet-stream", "content-digest": `sha-256=:${digest}:` },
      body: content,
    });
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
const activate = async ({ client }: PublishPorts, id: string): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.json({ method: "POST", path: `/api/deployments/${id}/activate`, once: true });
      return;
    } catch (error) {
      const isLost =
        error instanceof AppError && (error.code === "unavailable" || error.code === "rate-limited");
      if (!isLost || attempt >= ACTIVATION_ATTEMPTS) throw error;
      const { status } = await client.json<{ status: string }>({
        method: "GET",
        path: `/api/deployments/${id}`,
      });
      if (status !== "pending") return;
    }
  }
};

const findLive = async ({ client }: PublishPorts, site: string): Promise<SiteAnswer | undefined> => {
  try {
    return await client.json<SiteAnswer>({ method: "GET", path: `/api/sites/${encodeURIComponent(site)}` });
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
  const { site, mode, message, parallel } = request;
  const { files, skipped, bytes } = await readHashed(ports, request.folder);
  const manifest = files.map(({ path, size, sha256 }) => ({ path, size, sha256 }));
  const target = `/api/sites/${encodeURIComponent(site)}/deployments`;
  const { plan, missing, warnings } = await askJson<PlanAnswer>(ports, target, { manifest, dryRun: true });
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
  const created = await askJson<CreateAnswer>(
    ports,
    target,
    { manifest, ...(message === undefined ? {} : { message }) },
    randomUUID(),
  );
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
