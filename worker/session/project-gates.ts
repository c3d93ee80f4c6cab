import type { Confinement } from "../../core/confinement.ts";
import type { GateDeclaration } from "../../core/config/sections/gates.ts";
import type { GateReport } from "../../gates/gate.ts";

/** The gates of a worker's project: those its config declared when the worker was started, and the built-in ones. */
export type ProjectGates = {
  /** the folder whose files they are about */
  root: string;
  declared: Readonly<Record<string, GateDeclaration>>;
};

/** What `nightshift gate` runs, in this process. Loaded when it is needed: parsers take memory. */
export const runProjectGates = async (
  {
    env,
    confinement,
    signal,
  }: {
    env: Readonly<Record<string, string | undefined>>;
    confinement: Confinement | undefined;
    signal: AbortSignal;
  },
  { root, declared }: ProjectGates,
  { useCache }: { useCache: boolean },
): Promise<{ report: GateReport; text: string }> => {
  const [{ selectGates }, { runGates }, { readBaseline }, { textReport }, { listProjectFiles }] =
    await Promise.all([
      import("../../gates/select-gates.ts"),
      import("../../gates/run-gates.ts"),
      import("../../gates/baseline.ts"),
      import("../../gates/report/text.ts"),
      import("../../core/list-files.ts"),
    ]);
  const report = await runGates(
    { env, confinement, signal, elapsed: () => performance.now() },
    {
      root,
      gates: selectGates(declared, { root }).filter(
        // What is uncommitted is judged by `done.cleanTree`, which names it.
        ({ id }) => id !== "uncommitted" || declared["uncommitted"] !== undefined,
      ),
      projectFiles: await listProjectFiles(root, env),
      baseline: readBaseline(root),
      useCache,
      failFast: false,
    },
  );
  return { report, text: textReport(report) };
};

/**
 * Whether anything looked at the work itself. That everything is committed is known of every repository, and
 * says nothing about what was committed.
 */
export const isVerified = ({ gates }: GateReport): boolean =>
  gates.some(({ id, result }) => result !== "none" && id !== "uncommitted");

/**
 * Whether any gate has something to look at in a project, before there is any work.
 * @throws AppError `config` for gates that cannot be run as they are declared
 */
export const isCheckedBySome = async (
  { root, declared }: ProjectGates,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> => {
  const [{ selectGates }, { findTypesCommand }, { listProjectFiles }] = await Promise.all([
    import("../../gates/select-gates.ts"),
    import("../../gates/checks/types.ts"),
    import("../../core/list-files.ts"),
  ]);
  const gates = selectGates(declared, { root });
  const files = await listProjectFiles(root, env);
  return gates.some(({ id, select }) => {
    if (declared[id]?.command !== undefined) return true;
    if (id === "types") {
      const types = findTypesCommand(root);
      return "command" in types || types.isNeeded;
    }
    return id !== "uncommitted" && select(files).length > 0;
  });
};
