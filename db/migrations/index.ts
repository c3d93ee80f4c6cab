import { memory } from "./001-memory.ts";
import { memoryVectors } from "./002-memory-vectors.ts";
import { memoryIndex } from "./003-memory-index.ts";
import type { Migration } from "./migration.ts";
import { publishing } from "./010-publishing.ts";
import { tokens } from "./011-tokens.ts";
import { approvals } from "./030-approvals.ts";
import { fleet } from "./040-fleet.ts";
import { queue } from "./050-queue.ts";
import { queuePublishing } from "./051-queue-publishing.ts";
import { securityLog } from "./060-security-log.ts";
import { siteBlobs } from "./070-site-blobs.ts";
import { night } from "./080-night.ts";
import { nightLinks } from "./081-night-links.ts";
import { push } from "./082-push.ts";

/** Every step, in order. Add yours at the end; never change one that is released. */
export const MIGRATIONS: readonly Migration[] = [
  memory,
  memoryVectors,
  memoryIndex,
  publishing,
  tokens,
  approvals,
  fleet,
  queue,
  queuePublishing,
  securityLog,
  siteBlobs,
  night,
  nightLinks,
  push,
];
