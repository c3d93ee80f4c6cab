import { defineTask } from "../index.ts";

export default defineTask({
  title: "Write the pages that are made from declarations",
  run: ({ $ }) => $`npm run docs:reference`,
});
