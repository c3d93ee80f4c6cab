import { loadConfig } from "../../../core/config/load-config.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { loadTasks } from "../../../runner/load-tasks.ts";
import { checkGraph } from "../../../runner/task-graph.ts";
import { defineCommand } from "../../command/define-command.ts";
import { table } from "../../command/reporter.ts";

export const tasks = defineCommand({
  args: [],
  options: {},
  json: "document",
  examples: ["nightshift tasks"],
  run: async (_, { cwd, reporter }) => {
    const { config, root } = await loadConfig(cwd);
    const pattern = config.tasks ?? "tasks/*.ts";
    const found = await loadTasks(root, pattern);
    checkGraph(found);
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
    if (found.length === 0) reporter.note(`no task scripts match ${pattern}; see docs/tasks.md`);
    return EXIT.yes;
  },
});
