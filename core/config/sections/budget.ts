import type { Static } from "../../schema.ts";
import { number, section } from "./fields.ts";

const usd = (description: string) => number(description, { exclusiveMinimum: 0 });

/** `budget`: what all workers of this user may spend together; under `agents.<id>`, what they may spend with that agent. */
export const BudgetSection = section({
  perNightUsd: usd("Limit from noon to noon by this machine's clock, in USD"),
  perDayUsd: usd("Limit from midnight to midnight by this machine's clock, in USD"),
});

export type Budget = Static<typeof BudgetSection>;
