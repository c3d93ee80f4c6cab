import { spawn } from "node:child_process";

/** Its standard input ends with us, however we end; what ran in the sandbox ends at the same time. */
const SCRIPT = `
read -r _
rm -rf -- "$1"
[ -z "$2" ] && exit
for try in 1 2 3 4 5; do
  rmdir -- "$2" 2>/dev/null || [ ! -d "$2" ] && exit
  sleep 1
done
`.trim();

/**
 * Removes the folder of a sandbox and its cgroup as soon as this process is gone, also when it was killed; what is
 * returned ends the watch.
 */
export const removeWhenGone = (folder: string, group: string | undefined): (() => void) => {
  const watch = spawn("/bin/sh", ["-c", SCRIPT, "nightshift", folder, group ?? ""], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/bin:/bin" },
  });
  watch.on("error", () => undefined); // no room for a process: then it stays behind
  watch.stdin.on("error", () => undefined);
  watch.unref();
  (watch.stdin as { unref?: () => void }).unref?.();
  return () => watch.stdin.end();
};
