import type { AgentConfig } from "../../core/config/agent-config.ts";
import type { RecallSettings } from "../session/past-conversations.ts";

const RECALL_DEFAULTS: RecallSettings = { scope: "everywhere", maxTokens: 1000, timeoutMs: 5_000 };

/** How past conversations are asked, unless the config switches that off. */
export const recallSettings = ({ recall }: AgentConfig): RecallSettings | undefined =>
  recall?.enabled === false
    ? undefined
    : {
        scope: recall?.scope ?? RECALL_DEFAULTS.scope,
        maxTokens: recall?.maxTokens ?? RECALL_DEFAULTS.maxTokens,
        timeoutMs:
          recall?.timeoutSeconds === undefined ? RECALL_DEFAULTS.timeoutMs : recall.timeoutSeconds * 1000,
      };
