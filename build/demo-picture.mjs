// Draws the end of a demo as docs/images/demo.svg: `npm run demo | node build/demo-picture.mjs`, after a change of
// what the demo prints. Names of temporary folders are shortened; nothing else is touched.
import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const SHOWN_LINES = 24;
const [COLUMN, LINE, MARGIN] = [8.4, 20, 18];

const COLOURS = [
  [/^complete|healthy$/, "#7ee787"],
  [/refused|^ {2}stopped|gates: red/, "#ff7b72"],
  [/^Session/, "#79c0ff"],
  [/^ {2}(?:tool|handoff|state|log|handoffs|work) /, "#8b949e"],
];

const escape = (line) =>
  line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "\u00a0");
const colourOf = (line) => COLOURS.find(([pattern]) => pattern.test(line))?.[1] ?? "#e6edf3";

const lines = (await text(process.stdin))
  .replaceAll(/\/tmp\/nightshift-demo-\w+/g, "/tmp/demo")
  .trimEnd()
  .split("\n")
  .slice(-SHOWN_LINES);
const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * COLUMN) + 2 * MARGIN;
const height = lines.length * LINE + 2 * MARGIN;
const rows = lines.map(
  (line, row) =>
    `<text x="${MARGIN}" y="${MARGIN + (row + 0.75) * LINE}" fill="${colourOf(line)}">${escape(line)}</text>`,
);
writeFileSync(
  new URL("../docs/images/demo.svg", import.meta.url),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="The end of a demo run in a terminal">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">
${rows.join("\n")}
</g>
</svg>
`,
);
