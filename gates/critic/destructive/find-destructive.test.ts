import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DESTRUCTIVE_RULES } from "../catalogue.ts";
import { findDestructive } from "./find-destructive.ts";
import { listCommands, mayDestroy } from "./may-destroy.ts";
import { type LabelledCommand, readCommands, scoreCommands } from "../testdata/score-commands.ts";

const PLACES = { tree: "/home/alice/shop", home: "/home/alice" };
const rulesOf = (command: string, places = PLACES): string[] =>
  findDestructive(command, places).map(({ rule }) => rule);

const labelled: readonly LabelledCommand[] = readCommands();

test("at least 400 commands are labelled, half of them or so harmless, each with a source that is named", () => {
  expect(labelled.length).toBeGreaterThanOrEqual(400);
  const harmless = labelled.filter(({ rules }) => rules.length === 0).length;
  expect(harmless / labelled.length).toBeGreaterThan(0.4);
  const named = readFileSync(resolve(import.meta.dirname, "../testdata/README.md"), "utf8");
  for (const source of new Set(labelled.map(({ source }) => source)))
    expect(named).toContain(`| ${source} |`);
});

test("of the labelled commands nearly all are judged rightly, and by the rule that is meant", () => {
  const { precision, recall } = scoreCommands(labelled);
  expect(precision).toBeGreaterThanOrEqual(0.97);
  expect(recall).toBeGreaterThanOrEqual(0.97);
});

test("every rule has commands that raise it", () => {
  const raised = new Set(labelled.flatMap(({ rules }) => rules));
  expect([...raised].sort()).toEqual(Object.keys(DESTRUCTIVE_RULES).sort());
});

test("the words that load the parser are in every command that a rule has something to say about", () => {
  const silent = labelled.filter(({ rules, command }) => rules.length > 0 && !mayDestroy(command));
  expect(silent.map(({ command }) => command)).toEqual([]);
});

test("what a rule suggests passes every rule", () => {
  for (const { suggestion } of Object.values(DESTRUCTIVE_RULES))
    for (const command of [suggestion, ...suggestion.split(/[:;,]\s+/)]) expect(rulesOf(command)).toEqual([]);
});

/** The same harm in other clothes: whoever hides it is not let through for that. */
const WRAPPERS: readonly ((command: string) => string)[] = [
  (command) => `bash -c '${command}'`,
  (command) => `sh -ec "${command}"`,
  (command) => `sudo -u root ${command}`,
  (command) => `sudo env A=1 B=2 ${command}`,
  (command) => `nohup ${command} >/dev/null 2>&1 &`,
  (command) => `timeout -k 5 30s ${command}`,
  (command) => `nice -n 10 ionice -c 3 ${command}`,
  (command) => `setsid stdbuf -oL ${command}`,
  (command) => `if true; then ${command}; fi`,
  (command) => `true && { ${command}; }`,
  (command) => `(cd src; ${command})`.replace("cd src", "true"),
  (command) => `echo $(${command})`,
  (command) => `cat <(${command})`,
  (command) => `bash <<'EOF'\n${command}\nEOF`,
  (command) => `cat <<EOF | sh\n${command}\nEOF`,
  (command) => `echo '${command}' | bash`,
  (command) => `eval '${command}'`,
  (command) => `f() { ${command}; }; f`,
  (command) => `case $1 in x) ${command};; esac`,
  (command) => `find . -maxdepth 0 -exec ${command} \\;`,
  (command) => `echo | xargs ${command}`,
  (command) => `ssh host '${command}'`,
  (command) => `python3 -c "import os; os.system('${command}')"`,
  (command) => `trap '${command}' EXIT`,
  (command) => `! time ${command}`,
  (command) => `npx -c '${command}'`,
  (command) => `bash -c "bash -c '${command}'"`,
  (command) => `watch -n 5 '${command}'`,
  (command) => `parallel ::: '${command}' || ${command}`,
  (command) => `while read -r x; do ${command}; done < list`,
];
const HARM = [
  ["git push --force origin main", "D1"],
  ["git reset --hard HEAD~3", "D2"],
  ["git filter-branch --all", "D3"],
  ["rm -rf /srv/data", "D4"],
  ["dropdb shop", "D5"],
  ["terraform destroy -auto-approve", "D6"],
  ["mkfs.ext4 /dev/sdb1", "D7"],
  ["npm publish", "D9"],
  ["git config --global core.pager cat", "D10"],
  ["killall node", "D11"],
] as const;

test.each(HARM)("%s is found whatever is wrapped around it", (command, rule) => {
  const hidden = WRAPPERS.map((wrap) => wrap(command)).filter((text) => !rulesOf(text).includes(rule));
  expect(hidden).toEqual([]);
});

test.each(HARM)("%s is no harm where it is only spoken of", (command) => {
  const told = [
    `echo '${command}'`,
    `grep -rn '${command}' docs`,
    `git commit -m 'Refuse ${command}'`,
    `cat > notes.md <<'EOF'\n${command}\nEOF`,
    `printf '%s\\n' '${command}' >> list.txt`,
    `# ${command}`,
    `: '${command}'`,
    `rg -F "${command}"`,
    `bash -n -c '${command}'`,
    `gh issue create --title x --body '${command}'`,
  ];
  expect(told.filter((text) => rulesOf(text).length > 0)).toEqual([]);
});

test("what lies in the tree may be deleted, also by its whole path, and the tree itself may not", () => {
  expect(rulesOf("rm -rf /home/alice/shop/dist")).toEqual([]);
  expect(rulesOf("rm -rf /home/alice/shop")).toEqual(["D4"]);
  expect(rulesOf("rm -rf /home/alice/shop2")).toEqual(["D4"]);
  expect(rulesOf("rm -rf ~/shop/dist")).toEqual([]);
  expect(rulesOf("rm -rf dist/../..")).toEqual(["D4"]);
});

test("a tree among temporary files is a tree like any other", () => {
  const places = { tree: "/tmp/checkout", home: "/root" };
  for (const command of ["git reset --hard", "git clean -fd", "rm -rf *", "rm -rf .git"])
    expect(rulesOf(command, places)).toHaveLength(1);
  expect(rulesOf("rm -rf /tmp/other", places)).toEqual([]);
});

test("a folder below the tree is where the agent says it runs the command", () => {
  const inside = { ...PLACES, dir: "/home/alice/shop/packages/a" };
  expect(findDestructive("rm -rf ../b/dist", inside)).toEqual([]);
  expect(findDestructive("rm -rf *", inside)).toEqual([]);
  expect(findDestructive("rm -rf ../../../other", inside)).toHaveLength(1);
});

test("the words that are a flag are told as they are written", () => {
  expect(findDestructive('npm test && git push -f "$REMOTE" main', PLACES)).toEqual([
    { rule: "D1", match: 'git push -f "$REMOTE" main' },
  ]);
});

test("a text without a tool around it is a command, or a sentence with one in backticks that is to be run", () => {
  expect(listCommands("git push --force")).toEqual(["git push --force"]);
  expect(listCommands("$ rm -rf ~")).toEqual(["rm -rf ~"]);
  expect(listCommands("I'll run `rm -rf ~/old` to make room.")).toEqual(["rm -rf ~/old"]);
  expect(listCommands("Never run `rm -rf ~/old`.")).toEqual([]);
  expect(listCommands("git push --force is what the docs warn about and so do I")).toEqual([]);
  expect(listCommands("write the failing test, then fix the pager")).toEqual([]);
});

test("no text makes it fail, however broken its shell is", () => {
  const word = fc.constantFrom(
    "rm",
    "-rf",
    "/",
    "$(",
    ")",
    "`",
    "'",
    '"',
    "<<EOF",
    "\n",
    "|",
    "&&",
    "{",
    "}",
    "${",
    "~",
    "git",
    "push",
    "-f",
    "case",
    "esac",
    "((",
    "]]",
    "\\",
    ";",
    "xargs",
    "bash",
    "-c",
    "find",
    "-exec",
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      findDestructive(words.join(" "), PLACES);
    }),
    { numRuns: 500 },
  );
});

test.each([
  "sudo --preserve-env=A -u root rm -rf /srv/data",
  "systemd-run --user --unit clean rm -rf /srv/data",
  "runuser -u www -- rm -rf /srv/data",
  "ssh -i key -p 2222 host rm -rf /srv/data",
  "docker exec -it --detach-keys ctrl-p web rm -rf /srv/data",
  "npx -y -p rimraf rimraf /srv/data",
  "strace --trace file -f rm -rf /srv/data",
])("behind options that are nowhere listed the command is found: %s", (command) => {
  expect(rulesOf(command)).toEqual(["D4"]);
});

test.each([
  "sudo -E echo rm -rf /",
  "git branch --merged | xargs -n 1 echo git branch -D",
  "ls | xargs -I{} echo rm -rf /srv/{}",
  "find . -name '*.ts' -print0 | xargs -0 grep -n pkill node",
  "ssh -t host ls -la /srv",
  "sudo -u postgres psql -c 'select 1'",
  "docker exec -it web git status",
  "env -i npm test",
])("a word behind an option that could be its value makes nothing of: %s", (command) => {
  expect(rulesOf(command)).toEqual([]);
});

test("what is nested without end, or very long, comes to an end", { tags: ["long"] }, () => {
  const nested = "bash -c '".repeat(40) + "rm -rf /";
  findDestructive(nested, PLACES);
  for (const many of [500, 20_000]) {
    findDestructive(`${"$(".repeat(many)}rm -rf /${")".repeat(many)}`, PLACES);
    findDestructive(`${"(".repeat(many)}rm -rf /${")".repeat(many)}`, PLACES);
    findDestructive(`echo ${'"$(echo '.repeat(many)}rm -rf /${')"'.repeat(many)}`, PLACES);
  }
  for (const many of [20, 20_000]) {
    findDestructive(`${"sudo -u ".repeat(many)}rm -rf /`, PLACES);
    expect(rulesOf(`sudo ${"-a b ".repeat(many)}rm -rf /`)).toEqual(["D4"]);
  }
  expect(rulesOf("echo $(echo $(echo $(rm -rf /)))")).toEqual(["D4"]);
  expect(rulesOf(`${"echo x; ".repeat(1_500)}rm -rf /`)).toEqual(["D4"]);
});
