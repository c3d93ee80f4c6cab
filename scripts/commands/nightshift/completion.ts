import { type Shell, completionScript } from "../../command/completion-scripts.ts";
import { PROGRAM_NAMES } from "../../command/program-names.ts";
import { defineCommand } from "../../command/define-command.ts";

export const completion = defineCommand({
  description: "The script asks the programs themselves at every Tab, so it never goes out of date.",
  args: [{ name: "shell", description: "bash, zsh or fish", choices: ["bash", "zsh", "fish"] }],
  json: "none",
  examples: [
    `eval "$(nightshift completion bash)"`,
    `eval "$(nightshift completion zsh)"`,
    "nightshift completion fish | source",
  ],
  run: async ({ args }, { reporter }) => {
    reporter.verbatim(completionScript(args.shell as Shell, PROGRAM_NAMES));
  },
});
