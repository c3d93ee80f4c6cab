// How common words are in what developers write about their work, from the commit messages of public projects.
// node build/background-words.mjs <clone> <clone> <clone> …   writes server/memory/analysis/background-words.ts
//
// Last made from 3,900 to 5,000 messages each of vitejs/vite (MIT), prometheus/prometheus (Apache-2.0),
// rust-lang/cargo (MIT or Apache-2.0), helm/helm (Apache-2.0) and 882 of axios/axios (MIT). Only frequencies are kept.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const { tokenize } = await import("../dist/server/memory/analysis/tokens.js");

const MESSAGES = 5000;
const LEAST_SHARE = 0.001;

const clones = process.argv.slice(2);
if (clones.length < 3) throw new Error("give at least three clones, so that no project alone decides");

const sharesOf = (clone) => {
  const log = execFileSync("git", ["-C", clone, "log", "--no-merges", `-n${MESSAGES}`, "--format=%B%x00"], {
    maxBuffer: 2 ** 30,
    encoding: "utf8",
  });
  const messages = log
    .split("\0")
    .map((text) => text.trim().replace(/^[\w-]+-by:.*$/gim, ""))
    .filter((text) => text.length > 40);
  const counts = new Map();
  for (const message of messages)
    for (const term of new Set(tokenize(message.slice(0, 3000)).map((token) => token.term)))
      counts.set(term, (counts.get(term) ?? 0) + 1);
  return new Map([...counts].map(([term, count]) => [term, count / messages.length]));
};

const sources = clones.map(sharesOf);
const terms = new Set(sources.flatMap((shares) => [...shares.keys()]));
/** The median over the projects: what one of them alone talks of is not common. */
const shareOf = (term) => {
  const shares = sources.map((source) => source.get(term) ?? 0).sort((a, b) => a - b);
  return shares[Math.floor((shares.length - 1) / 2)];
};
const rows = [...terms]
  .filter((term) => /^[a-z]+$/.test(term) && !/^(?:https?|com|www)$/.test(term))
  .map((term) => [term, shareOf(term)])
  .filter(([, share]) => share >= LEAST_SHARE)
  .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));

const byShare = new Map();
for (const [term, share] of rows) {
  const perMille = Math.round(share * 1000);
  byShare.set(perMille, [...(byShare.get(perMille) ?? []), term]);
}
const lines = [...byShare].map(([perMille, words]) => `${perMille} ${words.join(" ")}`);
writeFileSync(
  join(import.meta.dirname, "../server/memory/analysis/background-words.ts"),
  `// Made by build/background-words.mjs: per mille of commit messages, then the stems that stand in so many of them.
const TABLE = \`
${lines.join("\n")}
\`;

/** For the stem of a word, the share (0..1) of developers' notes that it stands in; none for a rare one. */
export const BACKGROUND_SHARES: ReadonlyMap<string, number> = new Map(
  TABLE.trim()
    .split("\\n")
    .flatMap((line) => {
      const [perMille, ...stems] = line.split(" ");
      return stems.map((stem): [string, number] => [stem, Number(perMille) / 1000]);
    }),
);
`,
);
console.log(`${rows.length} stems`);
