import { expect, test } from "vitest";
import { AppError } from "../../core/errors.ts";
import { completeWords } from "./completion.ts";
import { completionScript } from "./completion-scripts.ts";
import { type Program, defineCommand } from "./define-command.ts";
import { commandHelp, groupHelp } from "./help.ts";
import { createStyle } from "./style.ts";
import { createReporter } from "./reporter.ts";
import { displayWidth, fit, table } from "./table.ts";
import { runProgram } from "./run-program.ts";

const greet = defineCommand({
  args: [
    { name: "name", description: "Who" },
    { name: "times", description: "How often", type: "integer", minimum: 1, isOptional: true },
  ],
  options: {
    tone: { type: "string", choices: ["warm", "cold"], default: "warm", description: "How" },
    maxLines: { type: "integer", short: "n", minimum: 1, maximum: 9, description: "Most lines" },
    loud: { type: "boolean", description: "Shout" },
    tag: { type: "string", repeatable: true, description: "Tags" },
  },
  examples: ["demo greet Ada"],
  run: async ({ args, options }, { reporter }) => {
    if (args.name === "nobody")
      throw new AppError("not-found", "nobody is not here; greet somebody else", {
        faults: [{ path: "name", message: "absent" }],
      });
    if (args.name === "bug") throw new TypeError("x is undefined");
    reporter.answer({ args, options }, `hello ${args.name}`);
    return 0;
  },
});
const program: Program = {
  name: "demo",
  summary: "A demo",
  commands: {
    greet: { summary: "Greet somebody", load: async () => greet },
    card: {
      summary: "Cards: write, send",
      commands: {
        write: { summary: "Write a card", load: async () => greet },
        send: { summary: "Send a card", load: async () => greet },
      },
    },
  },
  sections: { Say: ["greet"], Write: ["card"] },
};

const run = async (...argv: string[]) => {
  let out = "";
  let err = "";
  const code = await runProgram(program, argv, {
    env: {},
    cwd: "/",
    stdin: process.stdin,
    signal: new AbortController().signal,
    insistSignal: new AbortController().signal,
    createReporter: (isJson) =>
      createReporter({
        isJson,
        env: {},
        stdout: { write: (text) => (out += text) },
        stderr: { write: (text) => (err += text) },
      }),
  });
  return { code, out, err };
};

test("gives a command its typed input, and JSON when asked", async () => {
  expect(await run("greet", "Ada")).toEqual({ code: 0, out: "hello Ada\n", err: "" });
  const { out } = await run("greet", "Ada", "2", "-n", "3", "--tag=a", "--tag", "b", "--loud", "--json");
  expect(JSON.parse(out)).toEqual({
    args: { name: "Ada", times: 2 },
    options: { tone: "warm", maxLines: 3, loud: true, tag: ["a", "b"], help: false, json: true },
  });
  expect((await run("greet", "--", "--json")).out).toBe("hello --json\n");
});

test("lists every fault of the words, and exits 64", async () => {
  const { code, err } = await run("greet", "Ada", "0", "x", "--tone", "rude", "-n", "12");
  expect(code).toBe(64);
  expect(err).toContain('--tone: "rude" is not one of warm, cold');
  expect(err).toContain("--max-lines: 12 must be at most 9");
  expect(err).toContain("<times>: 0 must be at least 1");
  expect(err).toContain('too many arguments: "x"');
  const several = (await run("greet", "--lodu", "--tone", "rude", "-n")).err;
  for (const fault of ["did you mean --loud?", '"rude" is not', "--max-lines needs a value", "<name> is"])
    expect(several).toContain(fault);
  expect((await run("greet", "Ada", "-5")).err).toContain("<times>: -5 must be at least 1");
  expect((await run("greet")).err).toContain("<name> is missing: Who");
  expect((await run("greet", "Ada", "--lodu")).err).toContain("unknown option --lodu; did you mean --loud?");
  expect((await run("great", "Ada")).err).toContain("did you mean: demo greet?");
  expect((await run("send", "Ada")).err).toContain("did you mean: demo card send?");
});

test("turns failures into words and their exit codes, on stderr and as JSON", async () => {
  expect(await run("greet", "nobody")).toMatchObject({
    code: 66,
    out: "",
    err: "error: nobody is not here; greet somebody else\n",
  });
  const { out } = await run("greet", "nobody", "--json");
  expect(JSON.parse(out)).toEqual({
    error: "nobody is not here; greet somebody else",
    code: "not-found",
    errors: [{ path: "name", message: "absent" }],
  });
  expect(await run("greet", "bug")).toMatchObject({ code: 70 });
});

test("help keeps to a narrow terminal", () => {
  const style = createStyle(false);
  for (const page of [
    commandHelp({ ...greet, name: "demo greet", summary: "Greet somebody" }, style, 30),
    groupHelp({ name: "demo", group: program }, style, 30),
  ])
    expect(
      page.split("\n").filter((line) => line.length > 30 && !line.includes("demo greet <name>")),
    ).toEqual([]);
});

test("shows help of programs, groups and commands, however it is asked for", async () => {
  const whole = (await run("--help")).out;
  expect(whole).toMatch(/Say\n +greet +Greet somebody\n\nWrite\n +card +Cards: write, send/);
  expect((await run("help")).out).toBe(whole);
  expect(await run()).toMatchObject({ code: 64, out: "" });
  const group = (await run("card", "--help")).out;
  expect(group).toMatch(/demo card <command>[\s\S]+write +Write a card/);
  expect(group).not.toContain("greet");
  expect((await run("help", "card")).out).toBe(group);
  expect((await run("card", "sned")).err).toContain("did you mean: demo card send?");
  const help = (await run("greet", "--help")).out;
  expect(help).toContain("demo greet <name> [<times>] [options]");
  expect(help).toContain("-n, --max-lines <n>");
  expect(help).toContain("How (one of warm, cold; default warm)");
  expect((await run("help", "greet")).out).toBe(help);
  expect((await run("help", "card", "sned")).err).toContain("did you mean: demo card send?");
});

test("takes an option's value with a blank, with =, and joined to its letter", async () => {
  for (const words of [["-n", "3"], ["-n3"], ["--max-lines=3"], ["--max-lines", "3"]])
    expect(JSON.parse((await run("greet", "Ada", "--json", ...words)).out)).toMatchObject({
      options: { maxLines: 3 },
    });
});

test("completes subcommands, options and choices with their meaning, from the declaration", async () => {
  const here = { env: {}, cwd: import.meta.dirname, note: () => {} };
  expect(await completeWords(program, ["gr"], here)).toEqual(["greet\tGreet somebody"]);
  expect(await completeWords(program, ["help", "card", "w"], here)).toEqual(["write\tWrite a card"]);
  expect(await completeWords(program, ["greet", "--to"], here)).toEqual(["--tone\tHow"]);
  expect(await completeWords(program, ["greet", "--tone", ""], here)).toEqual(["warm", "cold"]);
  for (const shell of ["bash", "zsh", "fish"] as const)
    expect(completionScript(shell, ["demo"])).toContain("demo --complete");
});

test("aligns columns by what is seen, and cuts the last one to the terminal", () => {
  expect(displayWidth("naïve – “quoted” ─┼█…")).toBe(21);
  expect(displayWidth("e\u0301©月")).toBe(5);
  expect(fit("naïve texts are cut", 8)).toBe("naïve t…");
  expect(fit("月月月月", 5)).toBe("月月…");
  expect(displayWidth("\u001B[31mré🌙\u001B[39m")).toBe(4);
  expect(fit("abcdef", 4)).toBe("abc…");
  expect(
    table(
      [
        ["a", "long text here"],
        ["bbb", "x"],
      ],
      14,
    ),
  ).toEqual(["a    long tex…", "bbb  x"]);
  expect(
    table(
      [
        ["12", "running", "docs", "a-host", "Fix every broken link"],
        ["7", "complete", "tests", "-", ""],
      ],
      22,
    ),
  ).toEqual(["12  running  docs", "  a-host", "  Fix every broken li…", "7  complete  tests  -"]);
});
