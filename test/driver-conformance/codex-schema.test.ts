// @module-tag long

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { QUIET } from "../../agents/codex/app-server/translate.ts";
import { findAgentCli } from "../agent-clis.ts";

// What the driver says to `codex app-server` and hears from it, against the schema that the program itself writes.

const codex = findAgentCli("codex");

/** Every value of `method` in a schema. */
const methodsIn = (schema: unknown): string[] => {
  if (typeof schema !== "object" || schema === null) return [];
  const { method } = schema as { method?: { enum?: string[] } };
  return [...(method?.enum ?? []), ...Object.values(schema).flatMap(methodsIn)];
};

test.skipIf(codex === undefined)(
  `codex app-server${codex === undefined ? " (not installed)" : ""} knows every request and every notification that the driver names`,
  () => {
    // Not below /tmp, where codex refuses to have its home.
    const home = mkdtempSync("/var/tmp/nightshift-codex-schema-");
    try {
      execFileSync(codex ?? "", ["app-server", "generate-json-schema", "--out", home], {
        env: { PATH: process.env["PATH"] ?? "", HOME: home },
        stdio: "ignore",
      });
      const read = (name: string) => methodsIn(JSON.parse(readFileSync(join(home, `${name}.json`), "utf8")));
      expect(read("ClientRequest")).toEqual(
        expect.arrayContaining([
          "initialize",
          "thread/start",
          "thread/resume",
          "turn/start",
          "turn/interrupt",
        ]),
      );
      const notifications = read("ServerNotification");
      const acted = [
        "item/started",
        "item/completed",
        "turn/completed",
        "model/rerouted",
        "error",
        "warning",
      ];
      const usage = ["thread/tokenUsage/updated", "account/rateLimits/updated", "configWarning"];
      expect([...QUIET, ...acted, ...usage].filter((method) => !notifications.includes(method))).toEqual([]);
      expect(read("ServerRequest")).toEqual(
        expect.arrayContaining([
          "item/commandExecution/requestApproval",
          "item/fileChange/requestApproval",
          "mcpServer/elicitation/request",
        ]),
      );
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);
