import { defineTask } from "../index.ts";

export default defineTask({
  title: "Everything that CI asks, before a commit",
  needs: ["lint", "types", "test"],
  run: ({ $ }) => $`npx oxfmt --check . && npx knip && npx publint --strict`,
});
