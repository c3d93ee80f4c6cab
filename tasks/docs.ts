import { defineTask } from "../index.ts";

export default defineTask({
  title: "Write the pages that are made from declarations",
  run: ({ $ }) => $`npx vitest run test/commands-reference.test.ts test/config-reference.test.ts -u`,
});
