// tsc writes mode 0644; commands called straight from dist (not through npm's links) need the bit.
// Whether every declared command exists is publint's question, so that a partial build still gets its bits.
import { chmodSync, copyFileSync, existsSync, readFileSync } from "node:fs";

const { bin } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const commands = Object.values(bin).map((path) => new URL(`../${path}`, import.meta.url));
for (const command of commands.filter((file) => existsSync(file))) chmodSync(command, 0o755);

await import("./app-ui.mjs");

// The compiler copies no data; what is read beside the code lies beside it in dist, too.
copyFileSync(
  new URL("../gates/critic/reader/weights.tsv", import.meta.url),
  new URL("../dist/gates/critic/reader/weights.tsv", import.meta.url),
);
