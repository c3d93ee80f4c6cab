import { posix } from "node:path";
import type { Call } from "../call.ts";
import { named } from "../options.ts";
import { SHELLS } from "../starters.ts";
import { type FindHarm, raising } from "./rule.ts";

const FETCHES = named(
  "curl wget fetch http https xh aria2c iwr irm invoke-webrequest invoke-restmethod nc ncat",
);
const isInterpreter = (program: string): boolean =>
  SHELLS.has(program) ||
  /^(?:python[\d.]*|node|bun|deno|ruby|perl|php|osascript|iex|invoke-expression|source|\.)$/.test(program);

/** Text from elsewhere, or text that nobody can read as it stands. */
const isUnread = ({ program, words }: Call): boolean =>
  FETCHES.has(program) ||
  ((program === "base64" || program === "openssl") &&
    words.some((word) => /^(?:-d|-D|--decode)$/.test(word))) ||
  (program === "xxd" && words.some((word) => /^-\w*r/.test(word)));

/** An interpreter that was given its program runs nothing of what it reads. */
const readsProgram = ({ program, words }: Call): boolean => {
  if (/^(?:iex|invoke-expression|source|\.)$/.test(program)) return true;
  if (words.some((word) => /^-\w*n\w*$/.test(word)) && SHELLS.has(program)) return false;
  const given = words.filter(
    (word, i) => !word.startsWith("-") && words[i - 1] !== "-s" && !/^-\w*s$/.test(words[i - 1] ?? ""),
  );
  const hasCode = words.some((word) => /^(?:-\w*[ce]|-m|--eval|-p|-r|-ne|-pe)$/.test(word));
  const isTold =
    words.some((word) => /^-\w*s$/.test(word)) || words.includes("-") || words.includes("/dev/stdin");
  return !hasCode && (isTold || given.length === 0);
};

/** Files that an earlier call of the same text downloaded. */
const listDownloads = (earlier: readonly Call[]): string[] =>
  earlier
    .filter(({ program }) => FETCHES.has(program))
    .flatMap(({ words, writes }) => {
      const named = words.flatMap((word, i) =>
        /^(?:-o|-O|--output|--output-document)$/.test(word) ? [words[i + 1] ?? ""] : [],
      );
      const last = words.find((word) => /^https?:\/\//.test(word));
      return [
        ...named.map((name) => posix.basename(name)),
        ...writes.map((path) => posix.basename(path)),
        ...(last ? [posix.basename(last.replace(/[?#].*/, ""))] : []),
      ];
    });

const isRunHere = (call: Call): boolean => {
  const downloads = listDownloads(call.earlier).filter(
    (name) => name !== "" && name !== "-" && name !== "null",
  );
  if (downloads.length === 0) return false;
  if (/^(?:source|\.)$/.test(call.program) || SHELLS.has(call.program)) {
    const file = call.words.find((word) => !word.startsWith("-"));
    return file !== undefined && downloads.includes(posix.basename(file));
  }
  return false;
};

export const REMOTE_CODE_RULES: readonly FindHarm[] = [
  raising("D8", [
    (call) => {
      if (!isInterpreter(call.program)) return call.program === "eval" && call.inside.some(isUnread);
      if (call.before.some(isUnread) && readsProgram(call)) return true;
      return isRunHere(call);
    },
    // `bash <(curl …)`, `sh -c "$(curl …)"`, `source <(curl …)`
    (call) => {
      if (!isInterpreter(call.program) || !call.inside.some(isUnread)) return false;
      const fed = call.args.find(({ source }) => /^["']?(?:<\(|\$\(|`)/.test(source));
      return fed !== undefined;
    },
    // A downloaded file that is started by its own name.
    (call) => {
      const isPath = call.source.includes("/");
      return isPath && listDownloads(call.earlier).includes(call.program);
    },
  ]),
];
