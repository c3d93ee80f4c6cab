import { loadConfig } from "../../../core/config/load-config.ts";
import { docsPage } from "../../../core/version.ts";
import { checkGraph } from "../../../runner/task-graph.ts";
import { defineCommand } from "../../command/define-command.ts";
import { readingOnly } from "../../command/read-config.ts";
import { readTasks, TASK_GLOB } from "../../command/read-tasks.ts";
import { table } from "../../command/table.ts";

export const tasks = defineCommand({
  examples: ["nightshift tasks"],
  run: async (_, { cwd, env, reporter }) => {
    const decision = readingOnly({ env, note: reporter.note });
    const { config, root } = await loadConfig(cwd, decision);
    const pattern = config.tasks ?? TASK_GLOB;
    const { tasks: found, loaded } = await readTasks(decision, { config, root });
    if (loaded) checkGraph(loaded);
    const rows = found.map(({ name, title, needs = [], file }) => ({ name, title, needs, file }));
    reporter.answer(
      rows,
      table(
        rows.map(({ name, title, needs }) => [
          name,
          needs.length > 0 ? `after ${needs.join(", ")}` : "",
          title,
        ]),
        reporter.columns,
      ),
    );
    if (found.length === 0) reporter.note(`no task scripts match ${pattern}; see ${docsPage("tasks.md")}`);
  },
});
