import { defineTask } from "../index.ts";

export default defineTask({
  title: "Run the tests of npm test",
  needs: ["build"],
  args: { only: { type: "string", description: "files whose path holds this", default: "" } },
  timeoutSeconds: 1800,
  run: ({ $, args }) => $`npx vitest run ${args.only === "" ? "--tags-filter=!long" : args.only}`,
});
