/** One line of a worker's events file. */
export type WorkerEvent = { type: string; [key: string]: unknown };

/** A line of the story, and how it is meant: what a person should look at, or detail. */
export type StoryLine = { tone: "heading" | "plain" | "good" | "bad" | "detail"; text: string };

const told = (tone: StoryLine["tone"], text: string): StoryLine => ({ tone, text });

const BAR = 30;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number => (typeof value === "number" ? value : 0);
const firstLine = (value: unknown): string => text(value).split("\n")[0] ?? "";

/** `context ███████░░░ 63 %`, with a mark where the session is stopped. */
export const contextBar = (tokens: number, windowTokens: number, stopPercent: number): string => {
  const percent = windowTokens > 0 ? (100 * tokens) / windowTokens : 0;
  const filled = Math.min(BAR, Math.round((BAR * percent) / 100));
  const stopAt = Math.round((BAR * stopPercent) / 100);
  const cells = Array.from({ length: BAR }, (_, index) =>
    index < filled ? "█" : index === stopAt ? "┊" : "░",
  );
  return `context ${cells.join("")} ${Math.round(percent)} %`;
};

const promptParts = (prompt: string): string[] => {
  const parts = [
    [/=== BEGIN HANDOFF/, "the handoff of the last session"],
    [/=== BEGIN MEMORY/, "what memory knows"],
    [/=== BEGIN HEALTH REPORT/, "the gate's report"],
  ] as const;
  return parts.filter(([pattern]) => pattern.test(prompt)).map(([, words]) => words);
};

const gatesLine = (event: WorkerEvent): StoryLine => {
  const isAfter = event["when"] === "after";
  const verdict = text(event["verdict"]);
  if (verdict === "healthy") return told("good", isAfter ? "gates run again: healthy" : "gates: healthy");
  if (verdict === "none") return told("bad", "gates: no check ran");
  if (isAfter) return told("bad", "gates run again: red, so the DONE is refused");
  return told("bad", "gates: red, the report goes into the prompt");
};

const memoryLine = (event: WorkerEvent): StoryLine[] => {
  if (event["status"] === "off") return [];
  if (event["status"] !== "ok") return [told("bad", `memory: ${text(event["problem"])}`)];
  const recalled = text(event["text"]).trim();
  if (recalled === "") return [told("detail", "memory: asked, knows nothing relevant yet")];
  const known = recalled.split("\n").filter((line) => line.startsWith("- ") || line.startsWith("When "));
  return [
    told("good", "memory: asked, answers"),
    ...known.slice(0, 3).map((line) => told("detail", `  ${line}`)),
  ];
};

/** What an event of a worker tells a person; nothing for those that do not matter to the story. */
export const narrate = (event: WorkerEvent, stopPercent: number): StoryLine[] => {
  switch (event.type) {
    case "session-begin":
      return [told("heading", `Session ${number(event["session"])}`)];
    case "gates":
      return [gatesLine(event)];
    case "memory":
      return memoryLine(event);
    case "prompt":
      return [
        told("plain", `prompt: ${firstLine(event["prompt"]).slice(0, 64)}…`),
        ...promptParts(text(event["prompt"])).map((part) => told("plain", `        + ${part}`)),
      ];
    case "text":
      return text(event["text"])
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => told("plain", `agent: ${line}`));
    case "tool-start":
      if (event["name"] === "wait") return []; // the scripted agent's pauses are for the reader, not work
      return [told("detail", `tool:  ${text(event["name"])} ${firstLine(event["summary"])}`)];
    case "usage": {
      const { contextTokens, windowTokens } = event;
      return [told("plain", contextBar(number(contextTokens), number(windowTokens), stopPercent))];
    }
    case "rescue":
      return [told("plain", `uncommitted work saved to ${text(event["ref"])}`)];
    case "session-end":
      return sessionEnd(event, stopPercent);
    default:
      return [];
  }
};

const sessionEnd = (event: WorkerEvent, stopPercent: number): StoryLine[] => {
  const commits = Array.isArray(event["commits"]) ? event["commits"].map(String) : [];
  const lines = commits.map((commit) => told("plain", `commit ${commit}`));
  if (text(event["endReason"]) === "context") {
    const percent = Math.round((100 * number(event["contextTokens"])) / number(event["windowTokens"]));
    lines.push(told("bad", `stopped between tool calls: ${percent} % of the window, limit ${stopPercent} %`));
  }
  return [...lines, told("detail", `handoff: ${text(event["handoffFile"])}`)];
};
