import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { findEntry, isGroup } from "../scripts/command/find-entry.ts";
import { nightshift } from "../scripts/programs/nightshift.ts";

const page = readFileSync(join(import.meta.dirname, "../docs/scale.md"), "utf8");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map(([, text = ""]) => text);

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.skipIf(!hasSystemd)(
  "systemd finds nothing wrong with the units of docs/scale.md (needs systemd-analyze)",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "nightshift-units-"));
    const units = blocks("ini");
    expect(units).toHaveLength(2);
    try {
      const paths = units.map((unit) => {
        const path = join(folder, /system\/(\S+\.service)/.exec(unit)?.[1] ?? "unnamed");
        // The command is installed where the page is read, not here.
        writeFileSync(path, unit.replace("/usr/local/bin/nightshift", process.execPath));
        return path;
      });
      expect(execFileSync("systemd-analyze", ["verify", ...paths], { encoding: "utf8" })).toBe("");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

test("the manifests of docs/scale.md are YAML, and what they mount and select is there", () => {
  const [text = ""] = blocks("yaml");
  const documents = parseAllDocuments(text);
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  for (const document of documents) {
    const { kind, spec } = document.toJS() as {
      kind: string;
      spec: {
        selector: { matchLabels?: Record<string, string> };
        template?: {
          metadata: { labels: Record<string, string> };
          spec: { containers: { volumeMounts: { name: string }[] }[]; volumes: { name: string }[] };
        };
        volumeClaimTemplates?: { metadata: { name: string } }[];
      };
    };
    if (kind === "Service" || !spec.template) continue;
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels ?? {});
    const volumes = [
      ...spec.template.spec.volumes.map(({ name }) => name),
      ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name),
    ];
    const mounted = spec.template.spec.containers.flatMap(({ volumeMounts }) => volumeMounts);
    expect(mounted.map(({ name }) => name).filter((name) => !volumes.includes(name))).toEqual([]);
  }
});

test("every nightshift command of docs/scale.md exists", () => {
  const used = [...page.matchAll(/^(?:ExecStart=\/usr\/local\/bin\/)?nightshift (\w[\w-]*)(?: ([a-z]+))?/gm)];
  expect(used.length).toBeGreaterThan(8);
  for (const [, first = "", second = ""] of used)
    expect(
      isGroup(findEntry(nightshift, [first, second].filter(Boolean)).entry),
      `nightshift ${first} ${second}`,
    ).toBe(false);
});
