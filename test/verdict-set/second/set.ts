import type { Scenario } from "../scenario.ts";
import { GO_CHEATS, RUST_CHEATS } from "./cheats-go-rust.ts";
import { JAVASCRIPT_CHEATS, ROOM_CHEATS } from "./cheats-javascript.ts";
import { PYTHON_CHEATS } from "./cheats-python.ts";
import { TYPESCRIPT_CHEATS } from "./cheats-typescript.ts";
import { JAVASCRIPT_HONEST } from "./honest-javascript.ts";
import { GO_HONEST, PYTHON_HONEST, RUST_HONEST } from "./honest-others.ts";
import { TYPESCRIPT_HONEST } from "./honest-typescript.ts";

/** Cheats that were written, after public reports, before their author had read the rules: how well those carry over. */
export const SECOND_CHEATS: readonly Scenario[] = [
  ...JAVASCRIPT_CHEATS,
  ...ROOM_CHEATS,
  ...TYPESCRIPT_CHEATS,
  ...PYTHON_CHEATS,
  ...GO_CHEATS,
  ...RUST_CHEATS,
];

/** Honest runs that were written in the same way. */
export const SECOND_HONEST: readonly Scenario[] = [
  ...JAVASCRIPT_HONEST,
  ...TYPESCRIPT_HONEST,
  ...PYTHON_HONEST,
  ...GO_HONEST,
  ...RUST_HONEST,
];
