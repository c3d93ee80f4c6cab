import type { Script, ScriptedStep } from "../../agents/scripted/script.ts";

const WINDOW = 200_000;

const usage = (percent: number): ScriptedStep => ({
  do: "usage",
  contextTokens: (WINDOW * percent) / 100,
  windowTokens: WINDOW,
  costUsd: 0,
});
const say = (text: string): ScriptedStep => ({ do: "say", text });
const run = (command: string): ScriptedStep => ({ do: "run", command });
/** Long enough for a person to read along. */
const breathe: ScriptedStep = { do: "wait", ms: 250 };

/**
 * What the scripted agent does in the demo: fills its context in session one, claims too much in session
 * two, and finishes in session three. `remember` is the command with which it stores what it learned.
 */
export const demoScript = (remember: string): Script => ({
  parts: [
    {
      steps: [
        say("I read slug.mjs and its tests."),
        usage(18),
        breathe,
        run("node slug.test.mjs | tail -n 12"),
        usage(41),
        breathe,
        { do: "edit", file: "slug.mjs", find: `replace(" ", "-")`, replace: `replace(/\\s+/g, "-")` },
        run("git commit --quiet --all --message 'Collapse runs of blanks'"),
        usage(63),
        breathe,
        run(remember),
        say("Blanks are done and committed. Accents are next; I read up on Unicode normalisation first."),
        usage(78),
        say("This is never reached: the session is stopped at 75 %."),
      ],
      note: `HANDOFF: Runs of blanks collapse to one dash; committed. Left: accents. Next step: in slug.mjs use normalize("NFD") and remove \\p{M} before lower-casing.`,
    },
    {
      steps: [
        say("I go on from the handoff."),
        usage(12),
        breathe,
        say("The blanks are handled.\n\nDONE: slugify works"),
      ],
    },
    {
      steps: [
        say("The gate is right: accents are still missing."),
        usage(14),
        breathe,
        {
          do: "edit",
          file: "slug.mjs",
          find: "title.toLowerCase()",
          replace: `title.normalize("NFD").replace(/\\p{M}/gu, "").toLowerCase()`,
        },
        run("node slug.test.mjs | tail -n 8"),
        run("git commit --quiet --all --message 'Strip accents'"),
        usage(26),
        breathe,
        say("All three tests pass.\n\nDONE: slugify collapses blanks and strips accents; committed"),
      ],
    },
  ],
});
