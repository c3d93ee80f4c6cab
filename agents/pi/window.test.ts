import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findPiWindow } from "./window.ts";

let home: string;
const write = (name: string, content: string): string => {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
};
const ports = () => ({ home, env: { PATH: join(home, "bin") } });

/** Two providers with a model of the same name, as pi's package has it. */
const REGISTRY = `export const MODELS = {
    "azure": {
        "gpt-9": {
            id: "gpt-9",
            name: "GPT-9",
            api: "openai-responses",
            provider: "azure",
            cost: {
                input: 1,
            },
            contextWindow: 111000,
        },
    },
    "openai": {
        "gpt-9": {
            id: "gpt-9",
            name: "GPT-9",
            provider: "openai",
            cost: {
                input: 1,
            },
            contextWindow: 222000,
        },
    },
};`;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nightshift-pi-"));
  const modules = "lib/node_modules/@mariozechner/pi-coding-agent/node_modules/@mariozechner";
  write(`${modules}/pi-ai/dist/models.generated.js`, REGISTRY);
  const program = write(
    "lib/node_modules/@mariozechner/pi-coding-agent/dist/cli.js",
    "#!/usr/bin/env node\n",
  );
  chmodSync(program, 0o755);
  mkdirSync(join(home, "bin"));
  symlinkSync(program, join(home, "bin/pi"));
});
afterEach(() => rmSync(home, { recursive: true }));

test("knows the window of a model from the list of the installed pi, of the provider that answered", async () => {
  expect(await findPiWindow({ model: "gpt-9", provider: "openai" }, ports())).toBe(222_000);
  expect(await findPiWindow({ model: "gpt-9", provider: "azure" }, ports())).toBe(111_000);
  expect(await findPiWindow({ model: "gpt-9" }, ports())).toBe(111_000);
  expect(await findPiWindow({ model: "nobody-knows-it" }, ports())).toBeUndefined();
});

test("knows it from the files of the providers, where newer versions of pi keep their models", async () => {
  const dist = "lib/node_modules/@mariozechner/pi-coding-agent/node_modules/@mariozechner/pi-ai/dist";
  write(`${dist}/models.generated.js`, `import { OPENAI_MODELS } from "./providers/openai.models.js";\n`);
  for (const [provider, contextWindow] of [
    ["azure", 111_000],
    ["openai", 222_000],
  ] as const) {
    const model = { id: "gpt-9", name: "GPT-9", provider, cost: { input: 0.3 }, contextWindow };
    write(`${dist}/providers/data/${provider}.json`, JSON.stringify({ responses: { "gpt-9": model } }));
  }
  expect(await findPiWindow({ model: "gpt-9", provider: "openai" }, ports())).toBe(222_000);
  expect(await findPiWindow({ model: "gpt-9" }, ports())).toBe(111_000);
  expect(await findPiWindow({ model: "nobody-knows-it" }, ports())).toBeUndefined();
});

test("takes the word of the user's own models.json before it", async () => {
  const models = [{ id: "mine", contextWindow: 64_000 }, { id: "unsaid" }];
  const providers = { local: { models }, openai: { modelOverrides: { "gpt-9": { contextWindow: 5 } } } };
  write(".pi/agent/models.json", JSON.stringify({ providers }));
  expect(await findPiWindow({ model: "mine", provider: "local" }, ports())).toBe(64_000);
  expect(await findPiWindow({ model: "unsaid", provider: "local" }, ports())).toBe(128_000);
  expect(await findPiWindow({ model: "gpt-9", provider: "openai" }, ports())).toBe(5);
});

test("knows none where pi is not installed, or its models.json is broken", async () => {
  write(".pi/agent/models.json", "{");
  rmSync(join(home, "bin/pi"));
  expect(await findPiWindow({ model: "gpt-9", provider: "openai" }, ports())).toBeUndefined();
});
