import { spawnSync } from "node:child_process";

/**
 * What a program needs and nothing else. Certificates or options named in the environment lengthen every start
 * of Node, `node -e 0` too, and flatter whatever is compared with it.
 */
export const cleanEnv = (home = process.env["HOME"]): Record<string, string> => ({
  ...(home === undefined ? {} : { HOME: home }),
  PATH: process.env["PATH"] ?? "",
});

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const timeOnce = (
  [command = "", ...args]: readonly string[],
  env: Record<string, string | undefined>,
): number => {
  const start = performance.now();
  const { status, error, stderr } = spawnSync(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const elapsed = performance.now() - start;
  if (error || status !== 0)
    throw new Error(`${command} ${args.join(" ")} failed: ${error?.message ?? String(stderr)}`);
  return elapsed;
};

/** Two whole programs in turn, pair by pair, so that a machine that gets slower slows both; prints medians and the ratio. */
export const comparePrograms = ({
  title,
  ours,
  theirs,
  budget,
  env = cleanEnv(),
  rounds = 15,
}: {
  title: string;
  ours: readonly string[];
  theirs: readonly string[];
  budget: number;
  env?: Record<string, string | undefined>;
  rounds?: number;
}): void => {
  timeOnce(ours, env);
  timeOnce(theirs, env);
  const pairs = Array.from({ length: rounds }, () => ({
    ours: timeOnce(ours, env),
    theirs: timeOnce(theirs, env),
  }));
  const ratio = median(pairs.map((pair) => pair.ours / pair.theirs));
  const ourMs = median(pairs.map((pair) => pair.ours)).toFixed(1);
  const theirMs = median(pairs.map((pair) => pair.theirs)).toFixed(1);
  console.log(
    `${title}: ${ourMs} ms, ${theirs.slice(0, 2).join(" ")} ${theirMs} ms, ratio ${ratio.toFixed(2)} (budget ${budget}, ${ratio <= budget ? "within" : "OVER"})`,
  );
};
