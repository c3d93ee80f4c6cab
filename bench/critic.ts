// Precision and recall of the critic on the labelled actions; the half that was never tuned on must reach 0.9.
import { readCommands, scoreCommands } from "../gates/critic/testdata/score-commands.ts";
import { readLabelled, scoreCritic } from "../gates/critic/testdata/score.ts";

const LEAST = 0.9;

const show = (value: number): string => value.toFixed(3);
let failed = false;
for (const name of ["dev", "learn", "test", "held"] as const) {
  const score = scoreCritic(readLabelled(name));
  console.log(
    `${name}: ${score.actions} actions, ${score.stops} to stop; STOP precision ${show(score.precision)}, recall ${show(score.recall)}`,
  );
  for (const [id, { precision, recall, labelled }] of Object.entries(score.perRule))
    console.log(`  ${id}  precision ${show(precision)}  recall ${show(recall)}  (${labelled} labelled)`);
  if (name === "test" && (score.precision < LEAST || score.recall < LEAST)) failed = true;
}
process.exitCode = failed ? 1 : 0;

const commands = scoreCommands(readCommands());
console.log(
  `commands: ${commands.commands}, ${commands.harmful} to stop; precision ${show(commands.precision)}, recall ${show(commands.recall)}`,
);
for (const command of commands.wrong) console.log(`  wrong: ${command}`);
if (commands.precision < LEAST || commands.recall < LEAST) process.exitCode = 1;
