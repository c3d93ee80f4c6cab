import { errorText } from "../../core/errors.ts";
import { type Clock, orAfter } from "../../core/clock.ts";
import type { Environment } from "../../core/paths.ts";
import type { Reporter } from "./reporter.ts";
import type { Telemetry } from "./telemetry.ts";

const ASKED_BY = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
];

const LAST_WORD_MS = 3_000;
const MOST_COMPLAINTS = 3;

/** Whether the environment names a collector, and does not switch telemetry off. */
const isAsked = (env: Environment): boolean =>
  env["OTEL_SDK_DISABLED"]?.toLowerCase() !== "true" && ASKED_BY.some((name) => env[name]);

/**
 * Whatever the server is told, an OpenTelemetry collector hears, too, where the environment names one. Nothing of
 * it is loaded otherwise, and a collector that is away holds nobody up.
 */
export const withTelemetry = (
  reporter: Reporter,
  { env, clock }: { env: Environment; clock: Clock },
  onProblem: (problem: string) => void,
): Reporter => {
  if (!isAsked(env)) return reporter;
  // What happens before it is loaded is told right after, with its own time.
  let waiting: ((telemetry: Telemetry) => void)[] | undefined = [];
  let telemetry: Telemetry | undefined;
  const note = (tell: (to: Telemetry) => void): void => {
    if (telemetry) tell(telemetry);
    else waiting?.push(tell);
  };
  const told = new Set<string>();
  const complain = (problem: string): void => {
    const line = problem.split("\n")[0]?.slice(0, 300) ?? "";
    if (told.size >= MOST_COMPLAINTS || told.has(line)) return;
    told.add(line);
    onProblem(`telemetry: ${line}`);
  };
  const loading = import("./telemetry.ts")
    .then(({ createTelemetry }) => {
      telemetry = createTelemetry(env, complain);
      for (const tell of waiting ?? []) tell(telemetry);
    })
    .catch((error: unknown) => complain(`${errorText(error)}; continuing without it`))
    .finally(() => (waiting = undefined));
  return {
    ...reporter,
    tell: (state) => {
      const at = clock.now();
      note((to) => to.state(state, at));
      reporter.tell(state);
    },
    event: (type, data) => {
      const at = clock.now();
      note((to) => to.event(type, data, at));
      reporter.event(type, data);
    },
    close: async () => {
      const at = clock.now();
      const end = async (): Promise<true> => {
        await loading;
        await telemetry?.close(at).catch((error: unknown) => complain(errorText(error)));
        return true;
      };
      const [isDone] = await Promise.all([orAfter(clock, end(), LAST_WORD_MS), reporter.close()]);
      if (!isDone) complain(`the collector did not take everything within ${LAST_WORD_MS / 1000} s`);
    },
  };
};
