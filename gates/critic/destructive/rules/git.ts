import type { Call } from "../call.ts";
import { hasAny, isDry, named, readTold } from "../options.ts";
import { isGitSetting, isTemporary, placeOf } from "../places.ts";
import type { FindHarm } from "./rule.ts";

/** Options before the subcommand that take the next word along. */
const GLOBAL = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"];

type GitCall = { name: string; words: readonly string[]; dir: string; settings: readonly string[] };

const readGit = ({ words, places, env }: Call): GitCall | undefined => {
  let { dir } = places;
  const settings: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    const next = words[i + 1] ?? "";
    if (word === "-C") dir = placeOf(next, { ...places, dir });
    if (word === "-c") settings.push(next);
    if (GLOBAL.includes(word)) i += 1;
    else if (!word.startsWith("-")) {
      const tree = env["GIT_DIR"] ?? env["GIT_WORK_TREE"];
      return {
        name: word,
        words: words.slice(i + 1),
        dir: tree ? placeOf(tree, { ...places, dir }) : dir,
        settings,
      };
    }
  }
  return undefined;
};

const push = ({ words }: GitCall): boolean => {
  const told = readTold(words, { withValue: ["-o", "--push-option", "--repo", "--receive-pack", "--exec"] });
  if (hasAny(told, "-n")) return false;
  return (
    hasAny(told, "-f", "--force", "--mirror", "-d", "--delete", "--prune") ||
    told.operands.slice(1).some((ref) => ref.startsWith("+") || /^:./.test(ref))
  );
};

const GENERATED =
  /^(?:\.\/)?(?:node_modules|dist|build|out|target|coverage|\.next|\.nuxt|\.turbo|\.cache|tmp|__pycache__|\.pytest_cache|vendor\/bundle)(?:\/|$)/;

const clean = ({ words }: GitCall): boolean => {
  const told = readTold(words, { withValue: ["-e", "--exclude"] });
  if (hasAny(told, "-n", "-i", "--interactive") || !hasAny(told, "-f", "--force")) return false;
  return told.operands.length === 0 || !told.operands.every((path) => GENERATED.test(path));
};

/** A word that is a file and no branch: everything, a glob, or a name with an ending. */
const isPath = (word: string): boolean =>
  /^(?:\.|\.\/.*|:\/|\*.*|.*\/\*+)$/.test(word) ||
  /(?:^|\/)[\w.-]*[a-z_-]\.(?:[a-z]{1,5}|json5|mp4)$/i.test(word);

const checkout = ({ name, words }: GitCall): boolean => {
  const told = readTold(words, { withValue: ["-b", "-B", "-c", "-C", "-s", "--source", "--orphan"] });
  if (hasAny(told, "-p", "--patch")) return false;
  if (name === "switch") return hasAny(told, "-f", "--force", "--discard-changes");
  if (name === "restore") return !hasAny(told, "-S", "--staged") || hasAny(told, "-W", "--worktree");
  if (hasAny(told, "-f", "--force")) return true;
  const dashes = words.indexOf("--");
  if (dashes >= 0) return words.length > dashes + 1;
  return !hasAny(told, "-b", "-B", "--orphan") && told.operands.some(isPath);
};

const isKept = ({ earlier, places }: Call): boolean =>
  earlier.some((call) => {
    const git = call.program === "git" ? readGit(call) : undefined;
    return (
      git?.name === "stash" &&
      call.places.dir === places.dir &&
      !/^(?:list|show|drop|clear|pop|apply|branch|create|store)$/.test(git.words[0] ?? "")
    );
  });

const losesWork = (git: GitCall, call: Call): boolean => {
  const { name, words } = git;
  const told = readTold(words);
  switch (name) {
    case "reset":
      return hasAny(told, "--hard", "--merge") && !isKept(call);
    case "clean":
      return clean(git) && !isKept(call);
    case "checkout":
    case "switch":
    case "restore":
      return checkout(git) && !isKept(call);
    case "stash":
      return ["drop", "clear"].includes(told.operands[0] ?? "");
    case "worktree":
      return told.operands[0] === "remove" && hasAny(told, "-f", "--force");
    case "rm":
      return (
        hasAny(told, "-f", "--force") &&
        !hasAny(told, "--cached", "-n") &&
        told.operands.some((path) => /^(?:\.|\.\/|\*|\.\/\*)$/.test(path))
      );
    case "submodule":
      return told.operands[0] === "deinit" && hasAny(told, "-f", "--force");
    case "read-tree":
      return hasAny(told, "--reset") && hasAny(told, "-u");
    case "checkout-index":
      return hasAny(told, "-f", "--force");
    default:
      return false;
  }
};

const rewrites = ({ name, words }: GitCall): boolean => {
  const told = readTold(words);
  switch (name) {
    case "filter-branch":
      return true;
    case "filter-repo":
      return !hasAny(told, "--analyze");
    case "branch":
      return hasAny(told, "-D") || (hasAny(told, "-d", "--delete") && hasAny(told, "-f", "--force"));
    case "reflog":
      return ["expire", "delete"].includes(told.operands[0] ?? "") && !hasAny(told, "-n");
    case "gc":
      return words.some((word) => /^--prune=(?:now|all)$/.test(word));
    case "prune":
      return !hasAny(told, "-n");
    case "update-ref":
      return hasAny(told, "-d");
    case "rebase":
      return hasAny(told, "--root");
    case "lfs":
      return told.operands[0] === "migrate" && told.operands[1] === "import";
    default:
      return false;
  }
};

const READS = /^(?:--get.*|--list|-l|get|list|--show-.*|--name-only)$/;

const changesSettings = ({ name, words, dir, settings }: GitCall, { places, env }: Call): boolean => {
  if (settings.some((setting) => /^core\.(?:hookspath|fsmonitor|sshcommand)=/i.test(setting))) return true;
  if (name === "remote") return ["set-url", "remove", "rm"].includes(words[0] ?? "");
  if (name !== "config" || words.some((word) => READS.test(word))) return false;
  const told = readTold(words, { withValue: ["-f", "--file", "--blob", "--type", "--default"] });
  const file = words[words.findIndex((word) => word === "-f" || word === "--file") + 1];
  const isNamed = words.includes("-f") || words.includes("--file");
  const at = isNamed ? placeOf(file ?? "", places) : (env["GIT_CONFIG_GLOBAL"] ?? dir);
  if (isTemporary(at, places)) return false;
  // `git config --global user.name` with a name alone only asks.
  const isChange = words.some((word) =>
    /^(?:--unset.*|--add|--replace-all|--edit|-e|--rename-section|--remove-section|set|unset|edit|rename-section|remove-section)$/.test(
      word,
    ),
  );
  return isChange || told.operands.length > 1;
};

const findGitHarm: FindHarm = (call) => {
  if (call.program !== "git") return undefined;
  const git = readGit(call);
  if (git === undefined || git.name === "help" || isDry(call)) return undefined;
  if (git.name === "push") return push(git) ? "D1" : undefined;
  // A repository among temporary files is nobody's work.
  if (isTemporary(git.dir, call.places)) return undefined;
  if (losesWork(git, call)) return "D2";
  if (rewrites(git)) return "D3";
  return changesSettings(git, call) ? "D10" : undefined;
};

const WRITERS = named("cp mv ln install tee chmod chown rm unlink sed truncate touch rsync dd perl");

/** Whether one of a call's words is a file of git's own that it would write. */
const writesGitSetting = ({ program, words, places, writes }: Call): boolean => {
  if (writes.some((path) => isGitSetting(path, places))) return true;
  if (!WRITERS.has(program) || isDryEdit(program, words)) return false;
  const paths = words.filter((word) => !word.startsWith("-"));
  const written = ["cp", "ln", "install", "rsync"].includes(program) ? paths.slice(-1) : paths;
  return written.some((path) => isGitSetting(path, places));
};

const isDryEdit = (program: string, words: readonly string[]): boolean =>
  (program === "sed" || program === "perl") && !words.some((word) => /^-\w*i|^--in-place/.test(word));

const HOOK_TOOLS = named("husky pre-commit lefthook simple-git-hooks");

const findHookHarm: FindHarm = (call) => {
  if (writesGitSetting(call)) return "D10";
  if (HOOK_TOOLS.has(call.program)) return call.words[0] === "uninstall" ? "D10" : undefined;
  if (call.program === "bfg" || call.program === "git-filter-repo") return isDry(call) ? undefined : "D3";
  return undefined;
};

export const GIT_RULES: readonly FindHarm[] = [findGitHarm, findHookHarm];
