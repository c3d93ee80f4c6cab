import type { Clock } from "../../core/clock.ts";
import { AppError, errorText, isInterruption } from "../../core/errors.ts";
import type { Git } from "../../core/git.ts";
import type { Environment } from "../../core/paths.ts";
import { sweepRooms } from "../../verdict/room/room.ts";
import { plural } from "../../core/plural.ts";
import { type Seal, findSeal, makeSeal, saveSeal } from "../../verdict/seal/seal.ts";
import type { WorkerState } from "../state/worker-state.ts";
import type { WorkerLog } from "../state/worker-log.ts";
import type { StartRequest } from "./start-request.ts";

type Ports = {
  env: Environment;
  clock: Pick<Clock, "now">;
  log: Pick<WorkerLog, "line">;
  git: Git;
};
type Input = {
  request: StartRequest;
  /** top of the git work tree; undefined outside of git */
  workTree: string | undefined;
  previous: WorkerState | undefined;
};

/**
 * The rules of the worker's verdicts: read from the base commit at its start, the same again when it is resumed,
 * as an agent has worked there meanwhile. Undefined outside of git.
 */
export const openSeal = async (
  { env, clock, log, git }: Ports,
  path: string,
  { request, workTree, previous }: Input,
): Promise<Seal | undefined> => {
  if (workTree === undefined || !request.done.gates) return undefined;
  const rooms = sweepRooms(env);
  if (rooms > 0) log.line(`removed ${plural(rooms, "checkout")} that a killed verdict left`);
  // What another host began has no seal here: its first session says where the work began.
  const base = request.mode === "resume" ? previous?.sessions[0]?.headBefore : undefined;
  const known = request.mode === "resume" ? findSeal(path) : undefined;
  if (known) return known;
  try {
    const seal = await makeSeal(
      { git, now: clock.now },
      {
        top: workTree,
        declared: request.gates.declared,
        gatesRoot: request.gates.root,
        settings: request.verify,
        base,
      },
    );
    saveSeal(path, seal);
    log.line(
      `sealed ${plural(seal.files.length, "file")} as of ${seal.base?.commit.slice(0, 12) ?? "before any commit"}`,
    );
    return seal;
  } catch (error) {
    if (!(error instanceof AppError) || isInterruption(error)) throw error;
    log.line(`the rules of the verdict could not be read: ${errorText(error)}`);
    return undefined;
  }
};
