import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFileIfThere } from "../../core/read-file.ts";
import { AppError, errorText } from "../../core/errors.ts";
import { type Log, logFailure } from "../../core/log.ts";
import type { Metrics } from "../http/metrics.ts";
import type { AccessPorts } from "../auth/memory-access.ts";
import type { Rate, RateLimiters } from "../auth/rate-limit.ts";
import { type Aliases, createAliases } from "./analysis/aliases.ts";
import type { SecondOpinion } from "./embeddings/second-opinion.ts";
import type { MemoryPorts } from "./answers/ask.ts";
import { createReceipts } from "./ranking/receipt.ts";
import type { MemoryStores } from "./store/store.ts";

export type MemorySettings = {
  memoryWrites: Rate;
  memoryAliases: string;
  memoryAliasesFile: string | undefined;
  embeddings: { url: string; model: string; keyFile: string | undefined } | undefined;
};

export type Memory = { ports: MemoryPorts; close: () => Promise<void> };

const SWEEP_MS = 60_000;
/** not while the server starts: what has expired is not seen anyway */
const FIRST_SWEEP_MS = 1000;

type MemoryNeeds = {
  stores: MemoryStores;
  access: AccessPorts;
  limiters: RateLimiters;
  log: Log;
  metrics: Metrics;
  now: () => number;
};

/** Builds the memory's ports from settings and stores, and keeps it swept. */
export const openMemory = async (
  settings: MemorySettings,
  { stores, access, limiters, log, metrics, now }: MemoryNeeds,
): Promise<Memory> => {
  const writes = limiters("writes of this key", settings.memoryWrites);
  const secret = await stores.settings.getOrMake("receipt_secret", () =>
    randomBytes(32).toString("base64url"),
  );
  const opinion = await openSecondOpinion(settings, { stores, log, now });
  const ownAliases = readOwnAliases(settings);
  let aliases: Aliases | undefined;
  const catchUp = () => {
    opinion?.catchUp().catch((error: unknown) => logFailure(log, error, "making vectors failed"));
  };
  const ports: MemoryPorts = {
    ...(opinion ? { opinion } : {}),
    onStored: catchUp,
    onInjected: (isGiven) =>
      metrics.count("memory_injections_total", { result: isGiven ? "given" : "abstained" }),
    stores,
    learnings: stores.learnings,
    states: stores.states,
    receipts: createReceipts(secret),
    get aliases() {
      return (aliases ??= createAliases(ownAliases));
    },
    now,
    countWrite: writes.take,
    access,
  };
  catchUp();
  const sweep = () => {
    catchUp();
    stores.learnings
      .sweep()
      .then(() => opinion?.forgetGone())
      .catch((error: unknown) => logFailure(log, error, "sweeping the memory failed"));
  };
  const first = setTimeout(sweep, FIRST_SWEEP_MS);
  const timer = setInterval(sweep, SWEEP_MS);
  first.unref();
  timer.unref();
  const close = async () => {
    clearTimeout(first);
    clearInterval(timer);
    await opinion?.stop();
  };
  return { ports, close };
};

/** Lines of the operator; the file is read at the start, so that a wrong name is told then. */
const readOwnAliases = ({
  memoryAliases,
  memoryAliasesFile: file,
}: Pick<MemorySettings, "memoryAliases" | "memoryAliasesFile">): string => {
  if (file === undefined) return memoryAliases;
  try {
    return `${memoryAliases}\n${readFileSync(file, "utf8")}`;
  } catch (error) {
    throw new AppError("config", `cannot read the aliases ${file}: ${errorText(error)}`, { cause: error });
  }
};

const openSecondOpinion = async (
  { embeddings }: Pick<MemorySettings, "embeddings">,
  { stores, log, now }: { stores: MemoryStores; log: Log; now: () => number },
): Promise<SecondOpinion | undefined> => {
  if (!embeddings) return undefined;
  const { url, model, keyFile } = embeddings;
  const key = keyFile === undefined ? undefined : readFileIfThere(keyFile)?.trim();
  if (keyFile !== undefined && !key)
    throw new AppError("config", `there is no key in ${keyFile} (EMBEDDINGS_KEY_FILE)`);
  // Only who has a model pays for loading what talks to it.
  const { createEmbed } = await import("./embeddings/embeddings-client.ts");
  const { createSecondOpinion } = await import("./embeddings/second-opinion.ts");
  const embed = createEmbed(
    { url, model, key },
    {
      fetch,
      now,
      onChange: (answers, why) =>
        log[answers ? "info" : "warn"](
          { url, model, why },
          answers ? "embeddings are back" : "embeddings do not answer; ranking by words alone",
        ),
    },
  );
  return createSecondOpinion(model, { embed, vectors: stores.vectors });
};
