import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findDestructive } from "../destructive/find-destructive.ts";
import { mayDestroy } from "../destructive/may-destroy.ts";

/** A command, the rules that it should raise, and the report or page that it was thought of after. */
export type LabelledCommand = { command: string; rules: readonly string[]; source: string };

/** A tree and a home that no labelled command names. */
const PLACES = { tree: "/a/tree/of/nobody", home: "/a/home/of/nobody" };

export const readCommands = (): LabelledCommand[] =>
  readFileSync(join(import.meta.dirname, "commands.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as LabelledCommand);

/** How well the second pack reads commands; `wrong` are those it gets wrong. */
export const scoreCommands = (commands: readonly LabelledCommand[]) => {
  const judged = commands.map(({ command, rules }) => {
    const said = mayDestroy(command) ? findDestructive(command, PLACES).map(({ rule }) => rule) : [];
    const isHarm = rules.length > 0;
    // The right word for the wrong reason is no hit.
    return {
      command,
      isHarm,
      isSaid: said.length > 0,
      isHit: isHarm && rules.some((rule) => said.some((one) => one === rule)),
    };
  });
  const hits = judged.filter(({ isHit }) => isHit).length;
  return {
    commands: commands.length,
    harmful: judged.filter(({ isHarm }) => isHarm).length,
    precision: hits / judged.filter(({ isSaid }) => isSaid).length,
    recall: hits / judged.filter(({ isHarm }) => isHarm).length,
    wrong: judged
      .filter(({ isHarm, isHit, isSaid }) => (isHarm ? !isHit : isSaid))
      .map(({ command }) => command),
  };
};
