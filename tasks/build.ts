import { defineTask } from "../index.ts";

export default defineTask({
  title: "Compile to dist/",
  lock: "dist",
  inputs: [
    "**/*.ts",
    "tsconfig*.json",
    "build/**",
    "package.json",
    "package-lock.json",
    "!dist/**",
    "!**/*.test.ts",
  ],
  outputs: ["dist/**/*.js"],
  run: ({ $ }) => $`npm run --silent build`,
});
