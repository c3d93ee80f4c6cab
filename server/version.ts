import { readVersion } from "../core/version.ts";

/** The version of this package. */
export const VERSION: string = readVersion();
