import { defineFrames, type Doc, type Finding, runFrames } from "./rule.ts";
import { ABSENCE } from "./skipping/absence.ts";
import { ACTS } from "./skipping/acts.ts";
import { COMMANDS } from "./skipping/commands.ts";
import { LOOSENED } from "./skipping/loosened.ts";
import { SHIPPING } from "./skipping/shipping.ts";

const FRAMES = defineFrames("R5", ...ACTS, ...ABSENCE, ...SHIPPING, ...LOOSENED, ...COMMANDS);

/** R5: tests skipped, left unwritten or unrun, or made unable to fail. */
export const findSkippingTests = (doc: Doc): Finding[] => runFrames(doc, FRAMES);
