/**
 * How many hostile requests each runtime gets. The seed is fixed, so a small count is the beginning of the large
 * one; `.ci/run` sends the large one under `NIGHTSHIFT_HOSTILE=20000`.
 */
export const HOSTILE_REQUESTS = Number(process.env["NIGHTSHIFT_HOSTILE"] ?? 3000);
