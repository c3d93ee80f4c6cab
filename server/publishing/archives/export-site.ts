import { pack, type Pack } from "tar-stream";
import { AppError } from "../../../core/errors.ts";
import type { Deployment, Site } from "../deployment.ts";
import type { PublishingPorts } from "../ports.ts";

type Ports = Pick<PublishingPorts, "store" | "blobs">;

/** First entry of an exported archive: the site and its history. The bytes follow as `blobs/<sha256>`. */
export type SiteArchive = { format: "nightshift-site"; version: 1; site: Site; deployments: Deployment[] };

export const ARCHIVE_INDEX = "nightshift-site.json";
export const ARCHIVE_BLOBS = "blobs/";

const addEntry = (archive: Pack, name: string, bytes: Uint8Array, mtime: Date): Promise<void> =>
  new Promise((resolve, reject) => {
    // A fixed owner and mode: the same history gives the same archive everywhere.
    archive.entry({ name, mode: 0o644, mtime, size: bytes.byteLength }, Buffer.from(bytes), (error) => {
      if (error) reject(error);
      else resolve();
    });
  });

const loadHistory = async ({ store }: Ports, site: string): Promise<Deployment[]> => {
  const deployments: Deployment[] = [];
  for (const { id, status } of await store.listDeployments(site)) {
    const deployment =
      status === "active" || status === "superseded" ? await store.findDeployment(id) : undefined;
    if (deployment) deployments.push(deployment);
  }
  return deployments.reverse();
};

const fill = async (
  archive: Pack,
  entries: AsyncIterable<{ name: string; bytes: Uint8Array; mtime: Date }>,
): Promise<void> => {
  try {
    for await (const { name, bytes, mtime } of entries) await addEntry(archive, name, bytes, mtime);
    archive.finalize();
  } catch (error) {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
  }
};

/** A site with its history (what was live once) and all its bytes as one tar. @throws AppError `not-found` */
export const exportSite = async (ports: Ports, name: string): Promise<Pack> => {
  const site = await ports.store.findSite(name);
  if (!site) throw new AppError("not-found", `There is no site ${name}`);
  const deployments = await loadHistory(ports, name);
  const index: SiteArchive = { format: "nightshift-site", version: 1, site, deployments };
  const mtime = new Date(site.updatedAt);
  const archive = pack();
  const entries = async function* () {
    yield { name: ARCHIVE_INDEX, bytes: Buffer.from(`${JSON.stringify(index, undefined, 1)}\n`), mtime };
    const names = new Set(deployments.flatMap(({ manifest }) => manifest.map(({ sha256 }) => sha256)));
    for (const sha256 of names)
      yield { name: `${ARCHIVE_BLOBS}${sha256}`, bytes: await ports.blobs.read(sha256), mtime };
  };
  void fill(archive, entries());
  return archive;
};

/** The files of one deployment at their own paths, as one tar. */
export const exportFiles = async ({ blobs }: Ports, deployment: Deployment): Promise<Pack> => {
  const mtime = new Date(deployment.activatedAt ?? deployment.createdAt);
  const archive = pack();
  const entries = async function* () {
    for (const { path, sha256 } of deployment.manifest)
      yield { name: path, bytes: await blobs.read(sha256), mtime };
  };
  void fill(archive, entries());
  return archive;
};
