import { spawn } from "node:child_process";

/**
 * Ends what carries the folder's name in its environment, gives back what is mounted in it, and removes it, when
 * the pipe ends without a word: whoever made the folder is gone then, however that came.
 */
const GUARD = `
read -r word && exit
while pids=$(grep -lsF -- "$1" /proc/[0-9]*/environ | cut -d/ -f3) && [ -n "$pids" ]; do
  kill -9 $pids 2> /dev/null
done
while read -r _ place _; do
  case "$place" in "$1" | "$1"/*) umount --lazy "$place" ;; esac
done < /proc/mounts
rm -rf "$1"`;

/**
 * Watches over a test's folder for as long as we live, a test that is killed included. The function it returns
 * says that the guard is not needed any more.
 */
export const guardFolder = (folder: string): (() => void) => {
  const guard = spawn("sh", ["-c", GUARD, "guard", folder], {
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true, // Ctrl-C is not for it
  });
  guard.unref();
  // Bun reports a pipe whose reader has read the word and ended.
  guard.stdin.on("error", () => {});
  return () => guard.stdin.end("done\n");
};
