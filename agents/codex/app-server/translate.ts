import type { AgentSettings } from "../../driver.ts";
import type { TurnSignal } from "../../event-stream.ts";
import { type Json, listAt, numberAt, objectAt, sumAt, textAt } from "../../json.ts";
import { createMeter } from "../../meter.ts";
import { toolEnd, toolStart } from "../../tool-events.ts";

export type AppServerSignal = TurnSignal | { type: "calls-over" };

/** Items that are said, thought or noted; every other one is a tool call. */
const NO_TOOLS = new Set([
  "userMessage",
  "hookPrompt",
  "agentMessage",
  "functionCallOutput",
  "plan",
  "reasoning",
  "subAgentActivity",
  "enteredReviewMode",
  "exitedReviewMode",
  "contextCompaction",
]);

/** Notifications that say nothing that a supervisor acts on. */
export const QUIET = new Set(
  `thread/started thread/status/changed thread/readState/changed thread/name/updated thread/settings/updated
  thread/closed thread/goal/updated thread/goal/cleared thread/queue/changed thread/project/updated
  thread/environment/connected thread/environment/disconnected thread/compacted thread/section/changed
  thread/attachment/updated thread/prediction/updated turn/started turn/diff/updated turn/plan/updated
  turn/moderationMetadata hook/started hook/completed item/agentMessage/delta item/plan/delta
  item/autoApprovalReview/started item/autoApprovalReview/completed item/commandExecution/outputDelta
  item/commandExecution/terminalInteraction item/fileChange/outputDelta item/fileChange/patchUpdated
  item/mcpToolCall/progress item/reasoning/summaryTextDelta item/reasoning/summaryPartAdded
  item/reasoning/textDelta serverRequest/resolved mcpServer/startupStatus/updated skills/changed app/list/updated
  account/updated remoteControl/status/changed model/verification model/safetyBuffering/updated
  modelProvider/authRecoveryStarted modelProvider/authRecoveryCompleted project/changed fs/changed
  deprecationNotice`.split(/\s+/),
);

/** What the model itself calls them. */
const NAMES: Readonly<Record<string, string>> = {
  commandExecution: "exec_command",
  fileChange: "apply_patch",
};

const nameOf = (item: Json): string => {
  const tool = textAt(item, "tool");
  const server = textAt(item, "server") ?? textAt(item, "namespace");
  const type = textAt(item, "type") ?? "tool";
  return tool === undefined ? (NAMES[type] ?? type) : [server, tool].filter(Boolean).join(".");
};

/** The command without the shell around it; the files of a patch; else what the call was given. */
const inputOf = (item: Json): Json => {
  const commands = listAt(item, "commandActions").flatMap((action) => textAt(action, "command") ?? []);
  if (commands.length > 0) return { command: commands.join("; ") };
  const paths = listAt(item, "changes").flatMap((change) => textAt(change, "path") ?? []);
  if (paths.length > 0) return { path: paths };
  const given = objectAt(item, "arguments");
  return Object.keys(given).length > 0 ? given : item;
};

const hasFailed = (item: Json): boolean =>
  ["failed", "declined"].includes(textAt(item, "status") ?? "") || sumAt(item, "exitCode") !== 0;

/** Errors that pass by themselves after a time; the rest of a failed turn is an error. */
const LIMITS: readonly unknown[] = ["usageLimitExceeded", "rateLimitExceeded"];

const callOf = (usage: Json) => {
  const cacheRead = sumAt(usage, "cachedInputTokens");
  const cacheWrite = sumAt(usage, "cacheWriteInputTokens");
  return {
    // Cached tokens lie inside the input here.
    input: sumAt(usage, "inputTokens") - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: sumAt(usage, "outputTokens"),
    reasoning: sumAt(usage, "reasoningOutputTokens"),
  };
};

/** Follows the notifications of one thread, and what its sub-agents use. */
export const createAppServerTranslator = (settings: Pick<AgentSettings, "contextWindow" | "prices">) => {
  const meter = createMeter(settings);
  /** the newest total of each thread: an update may come twice, and a resumed thread begins with one */
  const totals = new Map<string, number>();
  let threadId: string | undefined;
  let resetsAtMs: number | undefined;

  const readUsage = (params: Json): AppServerSignal[] => {
    const thread = textAt(params, "threadId") ?? "";
    const usage = objectAt(params, "tokenUsage");
    const last = objectAt(usage, "last");
    const lastTokens = sumAt(last, "totalTokens");
    const total = sumAt(objectAt(usage, "total"), "totalTokens");
    const before = totals.get(thread);
    totals.set(thread, total);
    // The one before the first turn tells what earlier sessions used.
    if (total === before || (threadId === undefined && before === undefined)) return [];
    const isOwn = thread === threadId;
    meter.spending.add(meter.model(), { ...callOf(last), ...(isOwn ? {} : { subAgents: lastTokens }) });
    if (!isOwn) return [meter.usage()];
    meter.setContext(lastTokens);
    meter.setWindow(numberAt(usage, "modelContextWindow") ?? meter.windowTokens());
    // Codex tells an answer's usage once all the calls in it have ended.
    return [meter.usage(), { type: "calls-over" }];
  };

  const readLimits = (limits: Json) => {
    const resets = ["primary", "secondary"]
      .map((name) => objectAt(limits, name))
      .filter((limit) => (numberAt(limit, "usedPercent") ?? 0) >= 100)
      .flatMap((limit) => numberAt(limit, "resetsAt") ?? []);
    if (resets.length > 0) resetsAtMs = Math.max(...resets) * 1000;
  };

  const readTurnEnd = (turn: Json): AppServerSignal[] => {
    const status = textAt(turn, "status");
    if (status === "completed" || status === "interrupted") return [{ type: "turn-end", reason: status }];
    const error = objectAt(turn, "error");
    const message = textAt(error, "message") ?? "the turn failed";
    if (!LIMITS.includes(error["codexErrorInfo"])) return [{ type: "turn-end", reason: "error", message }];
    return [{ type: "turn-end", reason: "rate-limit", message, resetsAtMs }];
  };

  const readItem = (item: Json, isOver: boolean): AppServerSignal[] => {
    const type = textAt(item, "type") ?? "";
    const id = textAt(item, "id") ?? "";
    if (!NO_TOOLS.has(type)) {
      if (!isOver) return [toolStart(id, nameOf(item), inputOf(item))];
      const said = textAt(item, "aggregatedOutput") ?? textAt(objectAt(item, "error"), "message");
      return [toolEnd(id, hasFailed(item), said)];
    }
    if (isOver && type === "agentMessage") return [{ type: "text", text: textAt(item, "text") ?? "" }];
    if (!isOver && type === "contextCompaction")
      return [{ type: "warning", message: "the agent compacts its context" }];
    return [];
  };

  const readOwn = (method: string, params: Json): AppServerSignal[] => {
    switch (method) {
      case "item/started":
      case "item/completed":
        return readItem(objectAt(params, "item"), method === "item/completed");
      case "turn/completed":
        return readTurnEnd(objectAt(params, "turn"));
      case "model/rerouted":
        return meter.learnModel(textAt(params, "toModel"));
      case "warning":
      case "guardianWarning":
        return [{ type: "warning", message: textAt(params, "message") ?? "" }];
      case "configWarning":
        return [{ type: "warning", message: textAt(params, "summary") ?? "" }];
      case "error":
        // The last one ends the turn, which says it again.
        return params["willRetry"] === true
          ? [{ type: "warning", message: textAt(objectAt(params, "error"), "message") ?? "" }]
          : [];
      default:
        return QUIET.has(method)
          ? []
          : [{ type: "unknown", kind: method, line: JSON.stringify({ method, params }) }];
    }
  };

  return {
    /** the thread whose turns are followed from now on, and the model that answers in it */
    follow: (thread: string, answeredBy: string | undefined) => {
      threadId = thread;
      meter.learnModel(answeredBy);
    },
    read: (method: string, params: Json): AppServerSignal[] => {
      if (method === "thread/tokenUsage/updated") return readUsage(params);
      if (method === "account/rateLimits/updated") {
        readLimits(objectAt(params, "rateLimits"));
        return [];
      }
      // What a sub-agent says and does is its own; its parent's call tells when it is over.
      const thread = textAt(params, "threadId");
      return thread === undefined || thread === threadId ? readOwn(method, params) : [];
    },
  };
};
