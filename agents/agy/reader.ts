import { modelOf } from "../arguments.ts";
import { findWindow } from "../context-window.ts";
import type { SessionRequest } from "../driver.ts";
import type { TurnEnd, TurnSignal } from "../event-stream.ts";
import { type Json, listAt, numberAt, objectAt, parseObject, sumAt, textAt } from "../json.ts";
import { createMeter } from "../meter.ts";
import { readFailure } from "../google-failure.ts";
import { toolEnd, toolStart } from "../tool-events.ts";
import type { TurnReader } from "../turn-session.ts";

/** Steps that say nothing a worker needs beside their usage. */
const QUIET_STEPS = new Set(["user_input", "checkpoint", "subagent", "unknown"]);

const isOver = (step: Json): boolean => step["state"] === "DONE" || step["state"] === "ERROR";

/** An error is a text, or an object with one. */
const errorAt = (value: Json): string | undefined =>
  textAt(value, "error") ?? textAt(objectAt(value, "error"), "message");

/** `input_tokens` holds no cached tokens, and `output_tokens` holds those of thinking. */
const readUsage = (usage: Json) => ({
  input: sumAt(usage, "input_tokens"),
  cacheRead: sumAt(usage, "cache_read_tokens"),
  output: sumAt(usage, "output_tokens"),
  reasoning: sumAt(usage, "thinking_tokens"),
});

/** Reads what Antigravity CLI prints: `init`, `step_update` and one `result`, each below the key `event`. */
export const createAgyReader = (
  request: Pick<SessionRequest, "model" | "settings">,
  emit: (signal: TurnSignal) => void,
  now: () => number,
): TurnReader => {
  const meter = createMeter(request.settings);
  const begun = new Set<string>();
  const ended = new Set<string>();
  const counted = new Set<number>();
  let model = modelOf(request);
  let text = "";
  let hasSaid = false;

  const flushText = () => {
    if (text.trim() !== "") {
      emit({ type: "text", text: text.trim() });
      hasSaid = true;
    }
    text = "";
  };
  const count = (step: Json, type: string) => {
    const usage = readUsage(objectAt(step, "usage"));
    const tokens = usage.input + usage.cacheRead + usage.output;
    const index = numberAt(step, "step_index") ?? -1;
    // The last line of a step may come twice.
    if (tokens === 0 || counted.has(index)) return;
    counted.add(index);
    meter.spending.add(model, type === "subagent" ? { ...usage, subAgents: tokens } : usage);
    meter.setWindow(findWindow(model));
    // Only an answer's call carries the conversation.
    if (type === "agent_response") meter.setContext(tokens);
    if (meter.contextTokens() > 0) emit(meter.usage());
  };
  const readTool = (step: Json) => {
    const id = String(numberAt(step, "step_index") ?? "");
    const info = objectAt(step, "tool_info");
    if (!begun.has(id)) {
      begun.add(id);
      flushText();
      const name = textAt(step, "tool_name") ?? textAt(info, "name");
      emit(toolStart(id, name, objectAt(info, "parameters")));
    }
    if (!isOver(step) || ended.has(id)) return;
    ended.add(id);
    const problem = errorAt(info) ?? errorAt(step);
    emit(toolEnd(id, step["state"] === "ERROR" || problem !== undefined, problem));
  };
  const readStep = (step: Json, written: string) => {
    const type = textAt(step, "step_type") ?? "";
    if (isOver(step)) count(step, type);
    if (type === "tool") return readTool(step);
    if (type === "agent_response") {
      text += textAt(step, "text_delta") ?? "";
      const problem = step["state"] === "ERROR" ? errorAt(step) : undefined;
      if (problem !== undefined) emit({ type: "warning", message: problem });
      if (isOver(step)) flushText();
      return undefined;
    }
    if (!QUIET_STEPS.has(type)) emit({ type: "unknown", kind: `step_update ${type}`, line: written });
    return undefined;
  };
  const readResult = (result: Json) => {
    flushText();
    const response = textAt(result, "response")?.trim() ?? "";
    const text = hasSaid || response === "" ? undefined : response;
    emit({ type: "turn-end", ...endOf(result, hasSaid || response !== ""), text });
  };
  const endOf = (result: Json, hasAnswer: boolean): Omit<TurnEnd, "type"> => {
    if (result["status"] !== "SUCCESS") {
      const message = errorAt(result) ?? `the turn ended as ${String(result["status"])}`;
      if (/context canceled/i.test(message)) return { reason: "interrupted" };
      return readFailure(message, now());
    }
    const denied = listAt(result, "denied_actions")
      .map((action) => textAt(action, "display_name") ?? textAt(action, "action"))
      .filter((name) => name !== undefined);
    if (!hasAnswer && denied.length > 0)
      return { reason: "error", message: `it was not allowed to use ${denied.join(", ")}, and said nothing` };
    return { reason: "completed" };
  };

  return {
    onLine: (written) => {
      const line = parseObject(written);
      const event = line && textAt(line, "event");
      if (!line || event === undefined) {
        emit({ type: "warning", message: "Antigravity CLI wrote a line that is not an event" });
      } else if (event === "init") {
        const id = textAt(line, "conversation_id");
        model = textAt(objectAt(line, "init"), "model") ?? model;
        if (id !== undefined) emit({ type: "started", conversationId: id, model });
      } else if (event === "step_update") readStep(objectAt(line, "step_update"), written);
      else if (event === "result") readResult(objectAt(line, "result"));
      else emit({ type: "unknown", kind: event, line: written });
    },
    close: flushText,
  };
};
