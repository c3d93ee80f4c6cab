import { clockText, tokensText } from "./words.ts";
import type { Run } from "./night-api.ts";

export type Point = [session: number, atMs: number, tokens: number];

type Size = { width: number; height: number };
type Scale = { x: (ms: number) => number; y: (tokens: number) => number; top: number };

const scaleOf = (
  points: readonly Point[],
  windowTokens: number | undefined,
  { width, height }: Size,
): Scale => {
  const first = points[0]?.[1] ?? 0;
  const span = Math.max(1, (points.at(-1)?.[1] ?? 0) - first);
  const top = Math.max(windowTokens ?? 0, ...points.map(([, , tokens]) => tokens), 1);
  return {
    x: (ms) => ((ms - first) / span) * width,
    y: (tokens) => height - (tokens / top) * height,
    top,
  };
};

/** The points of each session by itself: a session begins with an empty context. */
const bySession = (points: readonly Point[]): Point[][] => {
  const sessions = new Map<number, Point[]>();
  for (const point of points) sessions.set(point[0], [...(sessions.get(point[0]) ?? []), point]);
  return [...sessions.values()];
};

const pathOf = (points: readonly Point[], { x, y }: Scale): string =>
  points
    .map(([, at, tokens], nth) => `${nth === 0 ? "M" : "L"}${x(at).toFixed(1)} ${y(tokens).toFixed(1)}`)
    .join("");

const areaOf = (points: readonly Point[], scale: Scale, height: number): string => {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return "";
  return `${pathOf(points, scale)}L${scale.x(last[1]).toFixed(1)} ${height}L${scale.x(first[1]).toFixed(1)} ${height}Z`;
};

const describe = (points: readonly Point[], run: Run): string => {
  const last = points.at(-1);
  if (!last) return "No context was reported yet";
  const sessions = bySession(points).length;
  const of = run.windowTokens === undefined ? "" : ` of ${tokensText(run.windowTokens)}`;
  return `Context over ${sessions === 1 ? "1 session" : `${sessions} sessions`}: now ${tokensText(last[2])}${of} tokens`;
};

/** How full the context was, session after session, with the share of the window at which it hands over. */
export const ContextCurve = ({
  run,
  points,
  isLarge = false,
}: {
  run: Run;
  points: readonly Point[];
  isLarge?: boolean;
}) => {
  const size: Size = isLarge ? { width: 960, height: 180 } : { width: 320, height: 56 };
  const scale = scaleOf(points, run.windowTokens, size);
  const sessions = bySession(points);
  const limit =
    run.windowTokens !== undefined && run.contextLimitPercent !== undefined
      ? (run.windowTokens * run.contextLimitPercent) / 100
      : undefined;
  const last = points.at(-1);
  return (
    <figure class={isLarge ? "curve large" : "curve"}>
      <svg
        viewBox={`0 0 ${size.width} ${size.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={describe(points, run)}
      >
        {sessions.map((session) => (
          <g key={session[0]?.[0]}>
            <path class="area" d={areaOf(session, scale, size.height)} />
            <path class="line" d={pathOf(session, scale)} />
          </g>
        ))}
        {sessions
          .slice(1)
          .map(([first]) =>
            first ? (
              <line
                key={first[0]}
                class="border"
                x1={scale.x(first[1])}
                x2={scale.x(first[1])}
                y1="0"
                y2={size.height}
              />
            ) : null,
          )}
        {limit !== undefined && (
          <line class="limit" x1="0" x2={size.width} y1={scale.y(limit)} y2={scale.y(limit)} />
        )}
      </svg>
      {isLarge && points[0] && last && (
        <figcaption class="quiet">
          <span>{clockText(new Date(points[0][1]).toISOString())}</span>
          {limit !== undefined && (
            <span>
              <span class="key limit" /> hands over at {tokensText(limit)} ({run.contextLimitPercent} %)
            </span>
          )}
          {run.windowTokens !== undefined && <span>window {tokensText(run.windowTokens)}</span>}
          <span>{clockText(new Date(last[1]).toISOString())}</span>
        </figcaption>
      )}
    </figure>
  );
};
