import { createHash } from "node:crypto";
import { type ServerClient, inPath } from "../../client/server-client.ts";
import { plural } from "../../core/plural.ts";
import { withoutNamedSecrets } from "../../core/redaction.ts";
import { type MemoryPorts, type MemorySettings, tryMemory } from "../session/memory-client.ts";
import type { DirRecord, KnownError } from "./ledger.ts";
import type { ProjectState } from "./project-state.ts";
import type { SteerLog } from "./steer-log.ts";

type Ports = MemoryPorts & { log: SteerLog };

/** One key for one fact: a repeat after a lost answer, or by another steerer, changes nothing. */
const keyOf = (...parts: string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex");

const sourceOf = (worker: string, session: number, conversationId: string | undefined): string =>
  `worker ${worker}, session ${session}${conversationId === undefined ? "" : ` (${conversationId})`}`;

const learn = (
  ports: Ports,
  settings: MemorySettings,
  lesson: Parameters<ServerClient["learn"]["post"]>[0],
) => tryMemory(ports, settings, (client, options) => client.learn.post(withoutNamedSecrets(lesson), options));

const storeFailure = async (ports: Ports, settings: MemorySettings, project: string, error: KnownError) => {
  const { answer, problem } = await learn(ports, settings, {
    type: "failure",
    trigger: `${project}: ${error.task}`,
    learning: error.message,
    confidence: 0.6,
    project,
    source: sourceOf(error.worker, error.session, error.conversationId),
    idempotencyKey: keyOf("failure", project, error.fingerprint),
  });
  if (!answer) return problem;
  error.isStored = true;
  error.failureId = answer.id;
  ports.log.tell("failure-stored", {
    message: `remembered for ${project}: ${error.message}`,
    worker: error.worker,
  });
  return undefined;
};

const storeCure = async (ports: Ports, settings: MemorySettings, project: string, error: KnownError) => {
  const { cure } = error;
  if (!cure) return undefined;
  const { problem } = await learn(ports, settings, {
    type: "learning",
    trigger: `${project}: ${error.message}`,
    learning: `This was cured by session ${cure.session} of worker ${cure.worker}; ${cure.what}`,
    confidence: 0.7,
    project,
    source: sourceOf(cure.worker, cure.session, cure.conversationId),
    idempotencyKey: keyOf("cure", project, error.fingerprint),
    ...(error.failureId === undefined ? {} : { fixes: error.failureId }),
  });
  if (problem !== undefined) return problem;
  error.isCureStored = true;
  ports.log.tell("cure-stored", {
    message: `${project}: session ${cure.session} of ${cure.worker} cured: ${error.message}`,
    worker: cure.worker,
  });
  return undefined;
};

/**
 * Stores what is not stored yet: each kind of error once, its cure once, and the state of projects that
 * changed. Stops at the first problem, which is returned; the rest is tried again in the next round.
 */
export const storeLessons = async (
  ports: Ports,
  settings: MemorySettings,
  { record, states }: { record: DirRecord; states: Record<string, ProjectState> },
): Promise<string | undefined> => {
  for (const [project, groups] of Object.entries(record.errors))
    for (const error of Object.values(groups)) {
      const problem =
        (error.isStored ? undefined : await storeFailure(ports, settings, project, error)) ??
        (error.cure && !error.isCureStored ? await storeCure(ports, settings, project, error) : undefined);
      if (problem !== undefined) return problem;
    }
  for (const [project, state] of Object.entries(states)) {
    const text = JSON.stringify(state);
    if (record.stored[project] === text) continue;
    const { problem } = await tryMemory(ports, settings, (client, options) =>
      client.state({ project: inPath(project) }).patch(withoutNamedSecrets(state), options),
    );
    if (problem !== undefined) return problem;
    record.stored[project] = text;
    ports.log.tell("state-stored", {
      message: `project ${project} is ${state.status}${state.blockers.length > 0 ? ` (${plural(state.blockers.length, "blocker")})` : ""}`,
    });
  }
  return undefined;
};
