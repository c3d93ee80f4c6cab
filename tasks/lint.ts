import { defineTask } from "../index.ts";

export default defineTask({
  title: "Find mistakes that the compiler does not see",
  run: ({ $ }) => $`npx oxlint --type-aware --deny-warnings .`,
});
