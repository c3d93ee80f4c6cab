import { defineTask } from "../index.ts";

export default defineTask({
  title: "Format every file",
  args: { check: { type: "boolean", description: "change nothing, fail when something would change" } },
  run: ({ $, args }) => (args.check ? $`npx oxfmt --check .` : $`npx oxfmt .`),
});
