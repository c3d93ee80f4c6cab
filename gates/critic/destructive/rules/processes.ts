import type { Call } from "../call.ts";
import { named, readTold } from "../options.ts";
import { byLine, type FindHarm, raising } from "./rule.ts";

const NAMES_PROCESSES = named("pgrep pidof ps");
const ENDS_BY_NAME = named("pkill killall killall5 skill xkill");

/** Whether a pipeline picks processes by what they are called. */
const picksByName = (calls: readonly Call[]): boolean =>
  calls.some(
    ({ program, words }) =>
      NAMES_PROCESSES.has(program) && !words.some((word) => /^(?:-P|--ppid)$/.test(word)),
  );

const isOwn = (words: readonly string[]): boolean =>
  words.some((word, i) => /^(?:-P|--parent)$/.test(word) && i + 1 < words.length);

export const PROCESS_RULES: readonly FindHarm[] = [
  raising("D11", [
    ({ program, words }) => {
      if (!ENDS_BY_NAME.has(program)) return false;
      const told = readTold(words);
      const isAsked = words.some((word) => /^(?:-0|-l|--list|-L|-V|--help|--version|--signal=0)$/.test(word));
      const isTold = told.operands.length > 0 || program === "killall5" || program === "xkill";
      return isTold && !isAsked && !isOwn(words);
    },
    ({ program, words, inside, before }) => {
      if (program !== "kill") return false;
      if (words[0] === "-l" || words[0] === "-0") return false;
      const signals = words.filter((word) => !/^-(?:\d+|[A-Z]+\d*|s)$/.test(word) || word === "-1");
      const everyone = words.length > 1 && words.at(-1) === "-1" && signals.length > 0;
      return everyone || picksByName(inside) || picksByName(before);
    },
    byLine([
      ["taskkill", /(?:^| )(?:\/{1,2}|-)im(?: |$)/i],
      ["stop-process spps", /(?:^| )-(?:name|processname)(?: |$)/i],
      ["wmic", /name\s*=.*(?:^| )(?:delete|terminate)(?: |$)/i],
      ["tmux", /^kill-server(?: |$)/],
    ]),
  ]),
];
