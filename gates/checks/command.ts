import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { runChild } from "../../core/child-process.ts";
import { type Check, couldNotRun, failed, nowhere, passed } from "../gate.ts";
import { readFindings } from "../read-findings.ts";

const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

/** A shell command as a check: exit 0 passes, 126 and 127 mean that it never ran, the rest fails. */
export const checkCommand =
  (command: string, cwd: string | undefined): Check =>
  async ({ root, env, confinement, timeoutMs, signal }) => {
    const folder = cwd === undefined ? root : resolve(root, cwd);
    if (!existsSync(folder)) return couldNotRun(`its working directory ${folder} is not there`);
    const isWindows = process.platform === "win32";
    const result = await runChild({
      command: isWindows ? "cmd" : "/bin/sh",
      args: isWindows ? ["/d", "/s", "/c", command] : ["-c", command],
      cwd: folder,
      env: { ...env, FORCE_COLOR: "0", NO_COLOR: "1" },
      timeoutMs,
      signal,
      confinement,
    });
    const output = [result.stdout, result.stderr].filter((text) => text.trim() !== "").join("\n");
    if (result.isAborted) return couldNotRun("interrupted");
    if (result.isTimedOut)
      return failed([nowhere(`\`${command}\` was ended after ${timeoutMs / 1000} s`)], output);
    if (result.isMissing || result.exitCode === NOT_FOUND || result.exitCode === NOT_EXECUTABLE)
      return couldNotRun(
        `\`${command}\` could not be started: ${lastLine(output) ?? result.problem ?? "not found"}`,
      );
    if (result.isOk) return passed();
    const findings = readFindings(output, { root, folder });
    const end = result.signal ? `was ended by ${result.signal}` : `exited with ${result.exitCode}`;
    return failed(findings.length > 0 ? findings : [nowhere(`\`${command}\` ${end}`)], output);
  };

const lastLine = (text: string): string | undefined => text.trim().split("\n").at(-1) || undefined;
