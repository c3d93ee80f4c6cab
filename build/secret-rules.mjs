// Writes core/secret-rules.ts: the shapes of secrets that a kept list knows, as data. Run it after that package was
// updated; a test compares. `node build/secret-rules.mjs`
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const PACKAGE = "@coo-quack/sensitive-canary";

/**
 * What core/redaction.ts does itself, by what stands around a secret or with looser lengths: a key that was cut short
 * is still most of a key.
 */
const OWN = new Set([
  "private-key",
  "generic-secret",
  "env-assignment",
  "connection-string",
  "url-basic-auth",
  "anthropic-key",
  "openai-key",
  "openai-project-key",
  "openai-service-key",
  "github-pat",
  "github-fine-grained",
  "huggingface-token",
  "slack-webhook",
  "stripe-secret-key",
  "stripe-restricted-key",
]);

/**
 * A run of characters is taken to its end: to cut it at some length and then look what follows is what makes a
 * pattern slow, and what is left over is a part of the secret.
 */
const openEnd = (pattern) =>
  pattern
    .replaceAll(/\{(\d+),(\d+)\}/g, (whole, least, most) => (Number(most) >= 64 ? `{${least},}` : whole))
    .replace(/(?:\\b|\(\?!\[[^\]]*\]\))$/, "");

export const renderSecretRules = () => {
  const manifest = createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`);
  const { version, license } = JSON.parse(readFileSync(manifest, "utf8"));
  const list = JSON.parse(readFileSync(join(dirname(manifest), "dist/lib/default-config.json"), "utf8"));
  const copyright = /^Copyright .*$/m.exec(readFileSync(join(dirname(manifest), "LICENSE"), "utf8"))?.[0];
  const rules = list.rules
    .filter(({ id, category, flags }) => category === "secret" && flags === undefined && !OWN.has(id))
    .map(({ id, regex }) => [id.replaceAll("-", "_"), openEnd(regex)]);
  return `// Made by build/secret-rules.mjs from ${PACKAGE} ${version} (${license}; ${copyright}).

/** Shapes of secrets: what each is called in the placeholder, and the source of its pattern. */
export const SECRET_RULES: readonly (readonly [name: string, pattern: string])[] = [
${rules.map(([name, pattern]) => `  [${JSON.stringify(name)}, String.raw\`${pattern}\`],`).join("\n")}
];
`;
};

if (process.argv[1] === import.meta.filename)
  writeFileSync(join(dirname(import.meta.dirname), "core/secret-rules.ts"), renderSecretRules());
