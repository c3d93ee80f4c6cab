import { Type } from "../schema.ts";
import { AgentSection } from "./sections/agents.ts";
import { BudgetSection } from "./sections/budget.ts";
import { CriticSection } from "./sections/critic.ts";
import { GateSection } from "./sections/gates.ts";
import { SandboxSection } from "./sections/sandbox.ts";
import { MemorySection, RecallSection, ServerSection, SteererSection } from "./sections/services.ts";
import { NotifySection } from "./sections/notify.ts";
import { ReviewSection, VerifySection } from "./sections/verify.ts";
import { WorkerSection } from "./sections/workers.ts";
import { section } from "./sections/fields.ts";

/** Names of workers become file names: no separators, no leading dot, not too long. */
export const WORKER_NAME = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";
const ID = "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$";

const named = <T extends Parameters<typeof Type.Record>[1]>(
  pattern: string,
  section: T,
  description: string,
) =>
  Type.Optional(Type.Record(Type.String({ pattern }), section, { additionalProperties: false, description }));

/** The whole of `agent.config.*`: validation, types and docs/config.md come from this one declaration. */
export const ConfigSchema = section({
  agents: named(ID, AgentSection, "Coding agents: how each is started"),
  workers: named(WORKER_NAME, WorkerSection, "Workers by name"),
  budget: Type.Optional(BudgetSection),
  gates: named(ID, GateSection, "Checks by id"),
  sandbox: Type.Optional(SandboxSection),
  verify: Type.Optional(VerifySection),
  review: Type.Optional(ReviewSection),
  critic: Type.Optional(CriticSection),
  steerer: Type.Optional(SteererSection),
  memory: Type.Optional(MemorySection),
  recall: Type.Optional(RecallSection),
  server: Type.Optional(ServerSection),
  notify: Type.Optional(NotifySection),
  tasks: Type.Optional(
    Type.String({ minLength: 1, default: "tasks/*.ts", description: "Glob of the task scripts" }),
  ),
});
