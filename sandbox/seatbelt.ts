import { existsSync } from "node:fs";
import type { Policy, Rule } from "./policy.ts";

const PROGRAM = "/usr/bin/sandbox-exec";

/** sandbox-exec of macOS; undefined elsewhere. The profile below was written by its documentation and not tried. */
export const findSeatbelt = (): string | undefined =>
  process.platform === "darwin" && existsSync(PROGRAM) ? PROGRAM : undefined;

const quote = (path: string): string => `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

const linesOf = ({ path, access }: Rule): string[] => {
  const where = `(subpath ${quote(path)})`;
  switch (access) {
    case "write":
    case "copy":
      return [`(allow file-read* file-write* ${where})`];
    case "read":
      return [`(allow file-read* ${where})`, `(deny file-write* ${where})`];
    case "hidden":
      return [`(deny file-read* file-write* network-outbound ${where})`];
    case "open":
      // There is no private folder here: what is open is written for good, except in the home, which is only read.
      return path === "/tmp" || path === "/var/tmp" ? [`(allow file-read* file-write* ${where})`] : [];
    case "link":
      return [];
  }
};

/** The same rules as a profile of macOS, where the last one that matches counts. */
export const seatbeltProfile = ({ rules }: Policy, { sockets }: { sockets: readonly string[] }): string =>
  [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (regex #"^/dev/tty") (subpath "/private/tmp") (subpath "/private/var/folders"))',
    ...rules.flatMap(linesOf),
    "(deny network*)",
    '(allow network* (local ip "localhost:*") (remote ip "localhost:*"))',
    ...sockets.map((path) => `(allow network-outbound (literal ${quote(path)}))`),
    '(deny mach-lookup (global-name "com.apple.securityd") (global-name "com.apple.pasteboard.1"))',
    "(deny process-info* (target others))",
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
  ].join("\n");
