import { expect, test } from "vitest";
import { AppError } from "./errors.ts";
import { isPassing, isPassingText } from "./passing-failure.ts";

test.each([
  "git read-tree failed in /repo: fatal: unable to write new index file: No space left on device",
  "git fetch failed in /repo: fatal: unable to access 'https://x/': Could not resolve host: x",
  "git fetch failed in /repo: error: RPC failed; curl 18; fatal: early EOF",
  "git fetch failed in /r: fatal: unable to access 'http://x/': The requested URL returned error: 503",
  "git commit failed in /r: fatal: Unable to create '/r/.git/index.lock': File exists.",
  "connect ECONNREFUSED 127.0.0.1:4010",
  'API Error: 529 {"type":"overloaded_error"}',
  "API Error: Connection error.",
  "API Error: 500 Internal server error",
  "unexpected status 503 Service Unavailable: try again",
  "stream disconnected before completion: error sending request for url",
  "TypeError: fetch failed",
  "spawn claude EAGAIN",
  "ssh: connect to host git.example port 22: Connection timed out",
])("passes by itself: %s", (text) => {
  expect(isPassingText(text)).toBe(true);
  expect(isPassing(new AppError("unavailable", text))).toBe(true);
});

test.each([
  "git status failed in /r: fatal: not a git repository",
  "git fetch failed in /r: fatal: Authentication failed for 'https://x/'",
  "API Error: 401 Invalid API key; fetch failed",
  "Your credit balance is too low to access the API",
  "claude was not found (working directory /r)",
  "the agent ended with error (exit 1)",
  "500 tests passed, 1 failed",
  "assertion failed: expected 503 to be 200",
])("lasts until somebody does something: %s", (text) => {
  expect(isPassingText(text)).toBe(false);
  expect(isPassing(new AppError("unavailable", text))).toBe(false);
});

test("a system's code decides, also as the cause of what wraps it", () => {
  const full = Object.assign(new Error("write"), { code: "ENOSPC" });
  const missing = Object.assign(new Error("open"), { code: "ENOENT" });
  expect(isPassing(full)).toBe(true);
  expect(isPassing(new AppError("unavailable", "the log cannot be written", { cause: full }))).toBe(true);
  expect(isPassing(missing)).toBe(false);
  expect(isPassing(new AppError("config", "fetch failed in agent.config.ts"))).toBe(false);
  expect(isPassing(new AppError("timeout", "git fetch did not finish"))).toBe(true);
  expect(isPassing(new TypeError("fetch failed"))).toBe(false); // a bug of ours, unless its cause says more
});
