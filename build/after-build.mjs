// tsc writes mode 0644; commands called straight from dist (not through npm's links) need the bit.
import { chmodSync, readFileSync } from "node:fs";

const { bin } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
for (const path of Object.values(bin)) chmodSync(new URL(`../${path}`, import.meta.url), 0o755);
