import { AppError } from "../../../core/errors.ts";
import { workersHome } from "../../../core/paths.ts";
import { readFileIfThere } from "../../../core/read-file.ts";
import { getNamedWorker } from "../../../worker/state/resolve-name.ts";
import { defineCommand } from "../../command/define-command.ts";

export const handoff = defineCommand({
  args: [
    { name: "name", description: "Name of the worker", complete: "worker" },
    {
      name: "session",
      description: "Number of the session; the last one that left a handoff",
      type: "integer",
      minimum: 1,
      isOptional: true,
    },
  ],
  examples: ["worker handoff docs", "worker handoff docs 2"],
  run: async ({ args }, { env, cwd, reporter }) => {
    const worker = getNamedWorker({ home: workersHome(env), cwd }, args.name);
    const withHandoff = worker.sessions.filter((session) => session.handoffFile !== undefined);
    const session =
      args.session === undefined
        ? withHandoff.at(-1)
        : withHandoff.find(({ number }) => number === args.session);
    const text = session?.handoffFile === undefined ? undefined : readFileIfThere(session.handoffFile);
    if (session === undefined || text === undefined) {
      const known = withHandoff.map(({ number }) => number).join(", ");
      throw new AppError(
        "not-found",
        `worker ${worker.name} has no handoff${args.session === undefined ? "" : ` of session ${args.session}`}; ${known === "" ? "no session has left one yet" : `there are those of session ${known}`}`,
      );
    }
    reporter.answer(
      { worker: worker.name, session: session.number, file: session.handoffFile, text },
      text.trimEnd(),
    );
  },
});
