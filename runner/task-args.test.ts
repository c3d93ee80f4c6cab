import { expect, test } from "vitest";
import { readArgs } from "./task-args.ts";

const task = {
  name: "release",
  title: "Publish a version",
  file: "tasks/release.ts",
  args: { version: { type: "string" as const, required: true }, tag: { type: "string" as const } },
  run: () => undefined,
};

test.each([
  [["--version", "1", "--no-cahce"], "unknown option --no-cahce; did you mean --no-cache?"],
  [["--versoin", "1"], "unknown option --versoin; did you mean --version?"],
  [["--version=1", "-q"], "unknown option -q"],
])(
  "an option that neither the task nor the runner knows is named with the near one: %j",
  (words, message) => {
    expect(() => readArgs(task, words, ["no-cache", "watch"])).toThrow(`${message}\nPublish a version`);
  },
);

test("what the task declares is read", () => {
  expect(readArgs(task, ["--version", "1.2.0"])).toEqual({ version: "1.2.0", tag: undefined });
});
