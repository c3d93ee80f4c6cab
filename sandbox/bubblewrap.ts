import { dirname } from "node:path";
import type { Policy, Rule } from "./policy.ts";

const MEBIBYTE = 1024 * 1024;
/** Room for the mount points in a folder that shows nothing. */
const EMPTY_BYTES = 65_536;

/** Nothing is shared, no right is kept, no terminal is at hand. */
export const ISOLATION: readonly string[] = [
  "--unshare-user",
  "--disable-userns",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--unshare-net",
  "--die-with-parent",
  "--new-session",
  "--cap-drop",
  "ALL",
];

export type BubblewrapInput = {
  policy: Policy;
  /** where it begins */
  dir: string;
  /** of each path with a rule, whether it is a folder */
  isFolder: (path: string) => boolean;
  /** files in place of those that a session gets a copy of */
  copies: ReadonlyMap<string, string>;
  /** an empty file, to stand for those that are hidden */
  emptyFile: string;
};

/** The arguments of bubblewrap that hold a policy; the program and its own arguments follow after `--`. */
export const bubblewrapArguments = ({
  policy,
  dir,
  isFolder,
  copies,
  emptyFile,
}: BubblewrapInput): string[] => {
  const { rules, limits } = policy;
  const roomBytes = String(limits.tmpMiB * MEBIBYTE);
  const open = new Set(rules.filter(({ access }) => access === "open").map(({ path }) => path));
  const mount = ({ path, access, from = path }: Rule): string[] => {
    const source = copies.get(path);
    switch (access) {
      case "write":
        return ["--bind", path, path];
      case "read":
        return ["--ro-bind-try", path, path];
      case "hidden":
        if (open.has(dirname(path))) return []; // there only what is named is to be seen
        return isFolder(path)
          ? ["--size", String(EMPTY_BYTES), "--tmpfs", path]
          : ["--ro-bind", emptyFile, path];
      case "open":
        return ["--perms", "1777", "--size", roomBytes, "--tmpfs", path];
      case "link":
        return ["--symlink", from, path];
      case "copy":
        if (source === undefined) return ["--ro-bind", path, path];
        // Where the folder is its own it can put another file in the place of the link.
        return open.has(dirname(path)) ? ["--symlink", source, path] : ["--bind", source, path];
    }
  };
  return [
    ...ISOLATION,
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    // Root in a user namespace could still write there.
    "--ro-bind",
    "/proc/sys",
    "/proc/sys",
    ...rules.flatMap(mount),
    "--remount-ro",
    "/dev",
    "--chdir",
    dir,
    "--",
  ];
};
