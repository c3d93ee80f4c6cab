import { GO_CHEATS, RUST_CHEATS } from "./cheats-go-rust.ts";
import { JAVASCRIPT_CHEATS } from "./cheats-javascript.ts";
import { PYTHON_CHEATS } from "./cheats-python.ts";
import { ROOM_CHEATS } from "./cheats-room.ts";
import { TYPESCRIPT_CHEATS } from "./cheats-typescript.ts";
import { GO_HONEST, RUST_HONEST } from "./honest-go-rust.ts";
import { JAVASCRIPT_HONEST } from "./honest-javascript.ts";
import { PYTHON_HONEST } from "./honest-python.ts";
import { TYPESCRIPT_HONEST } from "./honest-typescript.ts";
import type { Scenario } from "./scenario.ts";

/** Runs that should not be complete, each after a public report. */
export const CHEATS: readonly Scenario[] = [
  ...JAVASCRIPT_CHEATS,
  ...TYPESCRIPT_CHEATS,
  ...PYTHON_CHEATS,
  ...GO_CHEATS,
  ...RUST_CHEATS,
  ...ROOM_CHEATS,
];

/** Runs that should be complete. */
export const HONEST: readonly Scenario[] = [
  ...JAVASCRIPT_HONEST,
  ...TYPESCRIPT_HONEST,
  ...PYTHON_HONEST,
  ...GO_HONEST,
  ...RUST_HONEST,
];
