import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readFileIfThere } from "../../core/read-file.ts";
import { findProgram } from "../find-program.ts";
import { parseJson } from "../../core/parse-json.ts";
import { asJson, asList, asNumber, asText } from "../json.ts";
import type { Conversation, StorePorts } from "../store.ts";
import { piFolder } from "./paths.ts";

type Model = { id: string; provider: string | undefined };

// What pi takes for a model of one's own that does not say it (docs/models.md).
const OWN_MODELS_WINDOW = 128_000;

/** Models of one's own, and changes to known ones: `models.json` beside pi's settings. */
const findOwnWindow = (ports: StorePorts, { id, provider }: Model): number | undefined => {
  const text = readFileIfThere(join(piFolder(ports), "models.json"));
  const providers = Object.entries(asJson(asJson(parseJson(text ?? ""))["providers"]));
  for (const [name, value] of providers) {
    if (provider !== undefined && name !== provider) continue;
    const { models, modelOverrides } = asJson(value);
    const own = asList(models)
      .map(asJson)
      .find((model) => asText(model["id"]) === id);
    const changed = asNumber(asJson(asJson(modelOverrides)[id])["contextWindow"]);
    const told = changed ?? asNumber(own?.["contextWindow"]);
    if (told !== undefined) return told;
    if (own) return OWN_MODELS_WINDOW;
  }
  return undefined;
};

/** The list of models that came with the installed pi: a module of another package, in this or a folder above. */
const findRegistry = (program: string): string | undefined => {
  let folder = dirname(realpathSync(program));
  for (;;) {
    for (const scope of ["@mariozechner", "@earendil-works"]) {
      const modules = basename(folder) === "node_modules" ? folder : join(folder, "node_modules");
      const path = join(modules, scope, "pi-ai", "dist", "models.generated.js");
      if (existsSync(path)) return path;
    }
    if (folder === dirname(folder)) return undefined;
    folder = dirname(folder);
  }
};

/** One model of the list: `id: "…", … provider: "…", … contextWindow: 200000`. */
const ENTRY = /\bid"?: ?"([^"]+)"[^{}]*?\bprovider"?: ?"([^"]+)"[\s\S]*?\bcontextWindow"?: ?(\d+)/g;

/** Newer versions keep each provider's models in a JSON file of its own beside the list. */
const readRegistry = (registry: string): string => {
  const folder = join(dirname(registry), "providers", "data");
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  const paths = [registry, ...files.sort().map((name) => join(folder, name))];
  return paths.map((path) => readFileIfThere(path) ?? "").join("\n");
};

/** Read as text: looking at a conversation runs nobody's code. */
const findKnownWindow = (registry: string, { id, provider }: Model): number | undefined => {
  const entries = [...readRegistry(registry).matchAll(ENTRY)].filter(([, known]) => known === id);
  const [, , , window] = entries.find(([, , of]) => of === provider) ?? entries[0] ?? [];
  return window === undefined ? undefined : Number(window);
};

/** The context window of a conversation's model, as pi itself knows it. */
export const findPiWindow = async (
  { model, provider }: Pick<Conversation, "model" | "provider">,
  ports: StorePorts,
): Promise<number | undefined> => {
  if (model === undefined) return undefined;
  const asked = { id: model, provider };
  const own = findOwnWindow(ports, asked);
  if (own !== undefined) return own;
  const program = await findProgram("pi", { PATH: ports.env["PATH"] ?? "" });
  const registry = program === undefined ? undefined : findRegistry(program);
  return registry === undefined ? undefined : findKnownWindow(registry, asked);
};
