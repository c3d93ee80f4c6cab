/** Value and gradient of a function at a point; the gradient is written into `gradient`. */
export type Objective = (point: Float64Array, gradient: Float64Array) => number;

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
};
const addScaled = (to: Float64Array, by: number, what: Float64Array): void => {
  for (let i = 0; i < to.length; i += 1) to[i] = (to[i] ?? 0) + by * (what[i] ?? 0);
};

type Step = { moved: Float64Array; turned: Float64Array; rho: number };

/** Two-loop recursion: the direction that the remembered steps advise (Nocedal and Wright, algorithm 7.4). */
const direction = (gradient: Float64Array, steps: readonly Step[]): Float64Array => {
  const way = gradient.slice();
  const alphas: number[] = [];
  for (const { moved, turned, rho } of steps.toReversed()) {
    const alpha = rho * dot(moved, way);
    alphas.unshift(alpha);
    addScaled(way, -alpha, turned);
  }
  const last = steps.at(-1);
  if (last) {
    const scale = 1 / (last.rho * dot(last.turned, last.turned));
    for (let i = 0; i < way.length; i += 1) way[i] = (way[i] ?? 0) * scale;
  }
  for (const [i, { moved, turned, rho }] of steps.entries())
    addScaled(way, (alphas[i] ?? 0) - rho * dot(turned, way), moved);
  return way;
};

const MEMORY = 8;
const SUFFICIENT = 1e-4;

/** The minimum of a smooth function by L-BFGS with a backtracking line search; the same on every machine. */
export const minimise = (
  objective: Objective,
  size: number,
  { rounds }: { rounds: number },
): Float64Array => {
  let point: Float64Array = new Float64Array(size);
  let gradient: Float64Array = new Float64Array(size);
  let value = objective(point, gradient);
  const steps: Step[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const way = direction(gradient, steps);
    const slope = -dot(way, gradient);
    if (slope >= -1e-9) break;
    let length = round === 0 ? 1 / Math.sqrt(dot(gradient, gradient)) : 1;
    for (let tries = 0; ; tries += 1) {
      const next = point.slice();
      addScaled(next, -length, way);
      const nextGradient = new Float64Array(size);
      const nextValue = objective(next, nextGradient);
      if (nextValue <= value + SUFFICIENT * length * slope) {
        const moved = next.map((x, i) => x - (point[i] ?? 0));
        const turned = nextGradient.map((x, i) => x - (gradient[i] ?? 0));
        const curve = dot(moved, turned);
        if (curve > 1e-10) steps.push({ moved, turned, rho: 1 / curve });
        if (steps.length > MEMORY) steps.shift();
        const gained = value - nextValue;
        [point, gradient, value] = [next, nextGradient, nextValue];
        if (gained < 1e-6 * Math.abs(value)) return point;
        break;
      }
      if (tries > 25) return point;
      length /= 2;
    }
  }
  return point;
};
