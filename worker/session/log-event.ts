import type { AgentEvent } from "../../agents/driver.ts";
import type { WorkerLog } from "../state/worker-log.ts";

import { criticStopOf } from "../state/critic-stop.ts";

/** What an agent tells, as lines that people read. */
export const logEvent = (log: WorkerLog, event: AgentEvent): void => {
  switch (event.type) {
    case "started":
      return log.line(`agent: conversation ${event.conversationId}${event.model ? ` (${event.model})` : ""}`);
    case "text":
      return log.line(`agent: ${event.text}`);
    case "tool-start":
      return log.line(`tool: ${event.name} ${event.summary}`);
    case "model":
      return log.line(`agent: model ${event.model}`);
    case "tool-end":
      if (!event.isError) return;
      return log.line(
        criticStopOf(event) === undefined
          ? `tool: failed${event.reason === undefined ? "" : `: ${event.reason}`}`
          : `critic: stopped this tool: ${criticStopOf(event)}`,
      );
    case "activity":
    case "unknown": // it is in the event log; how many there were is said at the end
      return;
    case "usage":
      return log.line(
        `context: ${event.contextTokens} tokens${event.windowTokens ? ` of ${event.windowTokens}` : ""} (${event.source})`,
      );
    case "rate-limit":
      return log.line(`rate limit: ${event.message}`);
    case "warning":
      return log.line(`warning: ${event.message}`);
    case "ended":
      log.line(`agent ended: ${event.reason}${event.message ? `: ${event.message}` : ""}`);
      if (event.unknownEvents === undefined) return;
      return log.line(
        `agent: events that this version does not know, kept in the event log: ${Object.entries(
          event.unknownEvents,
        )
          .map(([kind, count]) => `${count} ${kind}`)
          .join(", ")}`,
      );
  }
};
