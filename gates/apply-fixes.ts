import type { GateDeclaration } from "../core/config/sections/gates.ts";
import { checkCommand } from "./checks/command.ts";
import type { GateOutcome } from "./gate.ts";

const TIMEOUT_MS = 300_000;

/**
 * Runs the fix command of each failing gate in that gate's folder, one after the other: two of them may
 * write the same file.
 */
export const applyFixes = async (
  { env, signal }: { env: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
  {
    root,
    gates,
    declared,
    note,
  }: {
    root: string;
    gates: readonly GateOutcome[];
    declared: Readonly<Record<string, GateDeclaration>>;
    note: (line: string) => void;
  },
): Promise<void> => {
  for (const { id, result, fix } of gates) {
    if (result !== "fail" || fix === undefined || signal.aborted) continue;
    note(`fixing ${id}: ${fix}`);
    const answer = await checkCommand(
      fix,
      declared[id]?.cwd,
    )({ root, env, signal, timeoutMs: TIMEOUT_MS, files: [] });
    if (answer.result !== "pass")
      note(`the fix of ${id} failed: ${answer.reason ?? answer.findings[0]?.message ?? "no reason given"}`);
  }
};
