import { defineTask } from "../index.ts";

export default defineTask({
  title: "Find type errors",
  inputs: ["**/*.ts", "**/*.tsx", "tsconfig.json", "package-lock.json", "!dist/**"],
  run: ({ $ }) => $`npx tsc --noEmit`,
});
