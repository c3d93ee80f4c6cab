import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import tar from "tar-stream";
import { plural } from "../../../core/plural.ts";
import { AppError, errorText, type Fault } from "../../../core/errors.ts";
import { type Static, Type, Value } from "../../../core/schema.ts";
import { newDeploymentId } from "../deployment.ts";
import { ARCHIVE_BLOBS, ARCHIVE_INDEX } from "./export-site.ts";
import { checkManifest, manifestDigest } from "../manifest.ts";
import type { PublishingPorts } from "../ports.ts";
import { checkQuota } from "../quota.ts";
import type { ImportedView } from "../schemas.ts";
import { parseSiteName } from "../../../core/site-name.ts";
import type { ImportedDeployment } from "../store.ts";

type Ports = Pick<PublishingPorts, "store" | "blobs" | "limits" | "quota" | "now" | "refreshSite">;

const MAX_INDEX_BYTES = 32 * 1024 * 1024;

const ArchiveSchema = Type.Object({
  format: Type.Literal("nightshift-site"),
  version: Type.Literal(1),
  site: Type.Object({
    name: Type.String(),
    createdAt: Type.Integer(),
    updatedAt: Type.Integer(),
    activeDeploymentId: Type.Optional(Type.String()),
  }),
  deployments: Type.Array(
    Type.Object({
      id: Type.String(),
      status: Type.Union([Type.Literal("active"), Type.Literal("superseded")]),
      createdAt: Type.Integer(),
      activatedAt: Type.Optional(Type.Integer()),
      createdBy: Type.String({ maxLength: 200 }),
      message: Type.Optional(Type.String({ maxLength: 1000 })),
      pinned: Type.Boolean(),
      manifest: Type.Array(
        Type.Object({
          path: Type.String(),
          size: Type.Integer(),
          contentType: Type.String(),
          sha256: Type.String(),
        }),
      ),
    }),
    { maxItems: 1000 },
  ),
});

/** One file of the archive while it streams by. */
type Entry = AsyncIterable<unknown> & { header: { name: string; type?: string | null | undefined } };
/** What the tar reader throws is about the archive, not about us. */
const wrapTarErrors = async function* <T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    throw error instanceof AppError ? error : bad(`it is not a complete tar file (${errorText(error)})`);
  }
};

// tar-stream declares its chunks as unknown; they are buffers.
const bytesOf = (entry: Entry): AsyncIterable<Uint8Array> =>
  wrapTarErrors(entry as AsyncIterable<Uint8Array>);

type Archive = Static<typeof ArchiveSchema>;

const bad = (message: string, faults: Fault[] = []): AppError =>
  new AppError("bad-data", `The archive cannot be imported: ${message}`, { faults });

const readIndex = async (entry: Entry): Promise<Archive> => {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of bytesOf(entry)) {
    total += chunk.length;
    if (total > MAX_INDEX_BYTES) throw bad(`${ARCHIVE_INDEX} is too large`);
    chunks.push(chunk);
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch (error) {
    throw new AppError("bad-data", `${ARCHIVE_INDEX} is not JSON`, { cause: error });
  }
  if (Value.Check(ArchiveSchema, value)) return value;
  const faults = [...Value.Errors(ArchiveSchema, value)]
    .slice(0, 20)
    .map(({ path, message }) => ({ path, message }));
  throw bad(`${ARCHIVE_INDEX} is not what an export writes`, faults);
};

/** The history as it will be stored: checked like a fresh manifest, with new ids where one is taken. */
const planHistory = async (
  { store, limits }: Ports,
  { deployments }: Archive,
  site: string,
): Promise<ImportedDeployment[]> => {
  if (deployments.filter(({ status }) => status === "active").length > 1)
    throw bad("it has two active deployments");
  const history: ImportedDeployment[] = [];
  for (const [index, deployment] of deployments.entries()) {
    const { entries, faults } = checkManifest(deployment.manifest, limits);
    if (faults.length > 0)
      throw bad(
        faults[0]?.message ?? "",
        faults.map(({ path, message }) => ({ path: `/deployments/${index}${path}`, message })),
      );
    const taken =
      (await store.findDeployment(deployment.id)) || history.some(({ id }) => id === deployment.id);
    const id = taken || !/^[0-9a-z]{16}$/.test(deployment.id) ? newDeploymentId() : deployment.id;
    history.push({
      ...deployment,
      id,
      site,
      base: undefined,
      checks: [],
      manifest: entries,
      digest: manifestDigest(entries),
    });
  }
  return history;
};

/** Bytes that the archive names and has not brought yet: digest and size. */
type Wanted = Map<string, number>;

/** Takes the bytes in; what no deployment of the archive names is refused. */
const storeBlob = async ({ store, blobs, now }: Ports, wanted: Wanted, entry: Entry): Promise<void> => {
  const sha256 = entry.header.name.slice(ARCHIVE_BLOBS.length);
  const size = wanted.get(sha256);
  if (entry.header.type !== "file" || !entry.header.name.startsWith(ARCHIVE_BLOBS) || size === undefined)
    throw bad(`it holds "${entry.header.name.slice(0, 120)}", which no deployment of it names`);
  await blobs.put({ sha256, size }, bytesOf(entry), () => store.recordBlob({ sha256, size }, now()));
  wanted.delete(sha256);
};

/**
 * Reads an archive that `exportSite` wrote and adds the site with its history. Bytes are checked against
 * their names; the site appears in one transaction when everything is there.
 * @throws AppError `bad-data` for a wrong archive, `conflict` when the site exists
 */
export const importSite = async (
  ports: Ports,
  body: AsyncIterable<Uint8Array>,
  { name, by }: { name?: string | undefined; by: string },
): Promise<ImportedView> => {
  const archive = tar.extract();
  const feeding = pipeline(Readable.from(body), archive);
  // Whoever fails first tells the other; this promise is looked at below.
  feeding.catch(() => {});
  let index: { site: string; source: Archive; history: ImportedDeployment[] } | undefined;
  const wanted: Wanted = new Map();
  for await (const entry of wrapTarErrors<Entry>(archive)) {
    if (!index) {
      if (entry.header.name !== ARCHIVE_INDEX) throw bad(`its first entry is not ${ARCHIVE_INDEX}`);
      const source = await readIndex(entry);
      const site = parseSiteName(name ?? source.site.name);
      if (await ports.store.findSite(site)) throw new AppError("conflict", `There is a site ${site} already`);
      index = { site, source, history: await planHistory(ports, source, site) };
      for (const { manifest } of index.history)
        for (const { sha256, size } of manifest) wanted.set(sha256, size);
      const names = [...wanted].map(([sha256, size]) => ({ sha256, size }));
      checkQuota(site, await ports.store.measureKept(site, names), ports.quota);
    } else await storeBlob(ports, wanted, entry);
  }
  await feeding.catch((error: unknown) => {
    throw error instanceof AppError ? error : bad(errorText(error));
  });
  if (!index) throw bad("it is empty");
  const { site, source, history } = index;
  // Bytes that are here already do not stand in for those of the archive: a cut-off copy must be noticed.
  if (wanted.size > 0)
    throw bad(
      `${plural(wanted.size, "file is", "files are")} missing, the first is ${[...wanted.keys()][0]}`,
    );
  const activeDeploymentId = history.find(({ status }) => status === "active")?.id;
  const record = { name: site, createdAt: source.site.createdAt, updatedAt: ports.now(), activeDeploymentId };
  const event = { at: ports.now(), site, action: "imported", by } as const;
  if (!(await ports.store.importSite(record, history, event)))
    throw new AppError("conflict", `There is a site ${site} already`);
  await ports.refreshSite(site);
  return {
    site,
    deployments: history.length,
    ...(activeDeploymentId === undefined ? {} : { activeDeploymentId }),
  };
};
