/**
 * How many hostile requests each runtime gets. The seed is fixed, so a small count is the beginning of a large one; `.ci/run` says how many it sends.
 */
export const HOSTILE_REQUESTS = Number(process.env["NIGHTSHIFT_HOSTILE"] ?? 3000);
