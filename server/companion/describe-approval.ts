import type { Approval } from "../auth/approvals/approval.ts";
import { type Html, markup, showHidden } from "./html.ts";

/** Reads something of the API as the person who decides; undefined where there is none, or they may not see it. */
export type Read = (path: string, tool: string) => Promise<Record<string, unknown> | undefined>;

/** What an approval would do, in words that a person can judge. */
export type Described = { title: string; body: Html };

const textOf = (value: unknown): string => (typeof value === "string" ? showHidden(value) : "");
const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string").map(showHidden) : [];

const SHOWN_FILES = 20;

const files = (what: string, names: readonly string[]): Html | undefined =>
  names.length === 0
    ? undefined
    : markup`<details ${names.length <= SHOWN_FILES ? markup`open` : markup``}>
        <summary>${what} <span class="count">${names.length}</span></summary>
        <ul class="paths">
          ${names.slice(0, 500).map((name) => markup`<li>${name}</li>`)}
        </ul>
      </details>`;

/** The file's path of a request, decoded; empty for what is no path. */
const stepOf = (target: string, at: number): string => target.split("?")[0]?.split("/")[at] ?? "";

const describeDeployment = async (
  read: Read,
  id: string,
  title: (site: string) => string,
): Promise<Described> => {
  const [deployment, changes] = await Promise.all([
    read(`/api/deployments/${id}`, "getDeployment"),
    read(`/api/deployments/${id}/changes`, "compareDeployment"),
  ]);
  if (!deployment) return { title: title("a site"), body: markup`<p>The deployment ${id} is gone.</p>` };
  const [site, message] = [textOf(deployment["site"]), textOf(deployment["message"])];
  const preview = textOf(deployment["previewUrl"]);
  const [added, changed, removed] = ["added", "changed", "removed"].map((name) => listOf(changes?.[name]));
  const count = (added?.length ?? 0) + (changed?.length ?? 0) + (removed?.length ?? 0);
  return {
    title: title(site),
    body: markup`${message === "" ? undefined : markup`<p><strong>${message}</strong></p>`}
      <p>
        ${count === 0 ? "No file of the live site changes." : `${count} ${count === 1 ? "file" : "files"} of the live site change:`}
      </p>
      ${files("Added", added ?? [])} ${files("Changed", changed ?? [])} ${files("Removed", removed ?? [])}
      ${
        preview.startsWith("http")
          ? markup`<p><a class="button" href="${preview}" target="_blank" rel="noopener noreferrer">Open the preview</a></p>`
          : undefined
      }`,
  };
};

const quote = (learning: Record<string, unknown> | undefined): Html => {
  if (!learning) return markup`<p>It no longer exists.</p>`;
  const project = textOf(learning["project"]);
  return markup`<blockquote class="card">
    <p><strong>${textOf(learning["trigger"])}</strong></p>
    <p>${textOf(learning["learning"])}</p>
    ${project === "" ? undefined : markup`<p class="quiet">Project ${project}</p>`}
  </blockquote>`;
};

const parse = (body: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};

type Describe = (read: Read, approval: Approval) => Promise<Described>;

/** How each tool that changes something is put into words. */
const WORDS: Readonly<Record<string, Describe>> = {
  activateDeployment: (read, { target }) =>
    describeDeployment(read, stepOf(target, 3), (site) => `Put this deployment live on ${site}?`),
  removeDeployment: (read, { target }) =>
    describeDeployment(read, stepOf(target, 3), (site) => `Delete this deployment of ${site}?`),
  learn: async (_, { body }) => ({
    title: "Remember this?",
    body: markup`<p>Every worker whose task fits will be told:</p>
      ${quote(parse(body))}`,
  }),
  forget: async (read, { target }) => ({
    title: "Forget this?",
    body: markup`<p>Workers will no longer be told this:</p>
      ${quote(await read(`/learning/${stepOf(target, 2)}`, "getLearning"))}`,
  }),
};

/** How each tool that changes something is named where there is one line for it; `site` is that of its deployment. */
const TITLES: Readonly<Record<string, (site: string) => string>> = {
  activateDeployment: (site) => `put deployment live on ${site}`,
  removeDeployment: (site) => `delete deployment of ${site}`,
  learn: () => "remember a learning",
  forget: () => "forget a learning",
};

/** What an approval would do, in one line. */
export const titleOf = async (read: Read, { tool, method, target }: Approval): Promise<string> => {
  const title = TITLES[tool];
  if (!title) return `${method} ${target}`;
  if (!target.startsWith("/api/deployments/")) return title("");
  const deployment = await read(`/api/deployments/${stepOf(target, 3)}`, "getDeployment");
  return title(deployment ? textOf(deployment["site"]) : "a site");
};

/** What an approval would do, in words; for a tool without words of its own, its request. */
export const describeApproval = async (read: Read, approval: Approval): Promise<Described> =>
  (await WORDS[approval.tool]?.(read, approval)) ?? {
    title: `${approval.method} ${approval.target}`,
    body: markup``,
  };
