import type { SessionRequest } from "../driver.ts";
import { type Json, objectAt, textAt } from "../json.ts";
import { describeCall } from "./translate.ts";

export type PermissionAnswer = {
  outcome: { outcome: "cancelled" } | { outcome: "selected"; optionId: string };
};

export const CANCELLED: PermissionAnswer = { outcome: { outcome: "cancelled" } };

/** Only for this once: what an agent is told to allow always, it writes into its user's settings. */
const choose = (options: readonly Json[], kinds: readonly string[]): PermissionAnswer => {
  const option = kinds.map((kind) => options.find((one) => one["kind"] === kind)).find(Boolean);
  const optionId = textAt(option ?? {}, "optionId");
  return optionId === undefined ? CANCELLED : { outcome: { outcome: "selected", optionId } };
};

/** Where the agent gives no input, the title of a command is the command. */
const inputOf = (call: Json): Json => {
  const input = objectAt(call, "rawInput");
  if (Object.keys(input).length > 0) return input;
  const title = textAt(call, "title") ?? "";
  return call["kind"] === "execute" ? { command: title } : { description: title };
};

/** Answers a `session/request_permission`: nobody is there to be asked, so the judge decides, or it is allowed. */
export const answerPermission = async (
  call: Json,
  options: readonly Json[],
  refuseCall: SessionRequest["refuseCall"],
): Promise<{ answer: PermissionAnswer; refusal: string | undefined }> => {
  const refusal = await refuseCall?.({ tool: describeCall(call).name, input: inputOf(call) });
  const kinds = refusal === undefined ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  return { answer: choose(options, kinds), refusal };
};
