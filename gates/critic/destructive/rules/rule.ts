import type { Call } from "../call.ts";
import type { DestructiveId } from "../../catalogue.ts";

/** What a call would destroy; undefined when it destroys nothing. */
export type FindHarm = (call: Call) => DestructiveId | undefined;
