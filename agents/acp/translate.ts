import type { AgentEndReason } from "../driver.ts";
import type { TurnEnd, TurnSignal } from "../event-stream.ts";
import { asJson, type Json, listAt, numberAt, objectAt, textAt } from "../json.ts";
import { summarizeToolInput, toolEnd } from "../tool-events.ts";

const hasInput = (call: Json): boolean => Object.keys(objectAt(call, "rawInput")).length > 0;

/** What a tool call is about: its input where the agent gives it, else the title it is shown with. */
export const describeCall = (call: Json): { name: string; summary: string } => ({
  name: textAt(call, "name") ?? textAt(call, "kind") ?? "tool",
  summary: hasInput(call) ? summarizeToolInput(objectAt(call, "rawInput")) : (textAt(call, "title") ?? ""),
});

/** Updates that say nothing that a supervisor acts on. */
const QUIET = new Set([
  "user_message_chunk",
  "agent_thought_chunk",
  "plan",
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "session_info_update",
  "compaction_summary_chunk",
]);

/** Follows the updates of one session. Text comes in pieces; `flush` hands over what was said since the last tool call. */
export const createAcpTranslator = (contextWindow: number | undefined) => {
  const calls = new Map<string, Json>();
  const begun = new Set<string>();
  let text = "";

  const flush = (): TurnSignal[] => {
    const said = text.trim();
    text = "";
    return said === "" ? [] : [{ type: "text", text: said }];
  };

  const begin = (id: string, call: Json): TurnSignal[] => {
    if (begun.has(id)) return [];
    begun.add(id);
    return [{ type: "tool-start", id, ...describeCall(call) }];
  };

  /** A call is known by its first update; later ones say more of it. */
  const readCall = (update: Json): TurnSignal[] => {
    const id = textAt(update, "toolCallId") ?? "";
    const known = Object.entries(update).filter(([, value]) => value !== null && value !== undefined);
    const call = { ...calls.get(id), ...Object.fromEntries(known) };
    calls.set(id, call);
    const status = textAt(call, "status") ?? "pending";
    const isOver = status === "completed" || status === "failed";
    const signals = isOver || status === "in_progress" ? begin(id, call) : [];
    if (!isOver) return [...flush(), ...signals];
    calls.delete(id);
    begun.delete(id);
    const said = listAt(call, "content").map((part) => objectAt(part, "content"));
    return [...flush(), ...signals, toolEnd(id, status === "failed", said)];
  };

  const readUsage = (update: Json): TurnSignal[] => {
    const contextTokens = numberAt(update, "used");
    if (!contextTokens) return []; // zeros stand for "not known yet"
    const windowTokens = contextWindow ?? (numberAt(update, "size") || undefined);
    const cost = objectAt(update, "cost");
    const totalCostUsd = textAt(cost, "currency") === "USD" ? numberAt(cost, "amount") : undefined;
    return [{ type: "usage", contextTokens, source: "live", windowTokens, totalCostUsd }];
  };

  return {
    flush,
    /** a call that was allowed: some agents say nothing more of it until it is over */
    allow: (update: Json): TurnSignal[] => {
      const id = textAt(update, "toolCallId") ?? "";
      return [...flush(), ...begin(id, { ...calls.get(id), ...update })];
    },
    read: (params: Json): TurnSignal[] => {
      const update = objectAt(params, "update");
      const kind = textAt(update, "sessionUpdate") ?? "";
      switch (kind) {
        case "agent_message_chunk":
          text += textAt(asJson(update["content"]), "text") ?? "";
          return [];
        case "tool_call":
        case "tool_call_update":
          return readCall(update);
        case "usage_update":
          return readUsage(update);
        case "notice": {
          const said = [textAt(update, "title"), textAt(update, "description")].filter(Boolean);
          return [{ type: "warning", message: said.join(": ") }];
        }
        case "compaction_update": {
          const status = textAt(update, "status") ?? "begun";
          return [{ type: "warning", message: `the agent compacts its context (${status})` }];
        }
        default:
          return QUIET.has(kind) ? [] : [{ type: "unknown", kind, line: JSON.stringify(update) }];
      }
    },
  };
};

const END_REASONS: Readonly<Record<string, AgentEndReason>> = {
  end_turn: "completed",
  cancelled: "interrupted",
  max_tokens: "limit",
  max_turn_requests: "limit",
};

/** How a turn ended, from the `stopReason` of its answer. */
export const readTurnEnd = (answer: Json): TurnEnd => {
  const said = textAt(answer, "stopReason") ?? "";
  const reason = END_REASONS[said];
  return reason === undefined
    ? { type: "turn-end", reason: "error", message: `the agent stopped: ${said}` }
    : { type: "turn-end", reason };
};
