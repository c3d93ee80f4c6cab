/** Counters and histograms in Prometheus' text format, without labels of unbounded number. */
export type Metrics = {
  count: (name: string, labels?: Labels, by?: number) => void;
  observe: (name: string, labels: Labels, seconds: number) => void;
  /** a value that is read when the page is asked for */
  gauge: (name: string, help: string, read: () => number) => void;
  /** gauges that are read together when the page is asked for */
  collect: (read: () => Promise<readonly Gauge[]>) => void;
  render: () => Promise<string>;
};

/** A gauge with a value for each set of labels. */
export type Gauge = { name: string; help: string; samples: readonly { labels: Labels; value: number }[] };

export type Labels = Readonly<Record<string, string>>;

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const PREFIX = "nightshift_";

type Histogram = { counts: number[]; sum: number; total: number };

const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}="${value.replace(/[\\"\n]/g, "_")}"`)
    .join(",");

const braces = (labels: string): string => (labels === "" ? "" : `{${labels}}`);

export const createMetrics = (): Metrics => {
  const counters = new Map<string, Map<string, number>>();
  const histograms = new Map<string, Map<string, Histogram>>();
  const collectors: (() => Promise<readonly Gauge[]>)[] = [];

  const series = <T>(all: Map<string, Map<string, T>>, name: string): Map<string, T> => {
    let one = all.get(name);
    if (!one) all.set(name, (one = new Map()));
    return one;
  };

  const renderGauges = async (): Promise<string[]> =>
    (await Promise.all(collectors.map((read) => read())))
      .flat()
      .flatMap(({ name, help, samples }) => [
        `# HELP ${PREFIX}${name} ${help}`,
        `# TYPE ${PREFIX}${name} gauge`,
        ...samples.map(({ labels, value }) => `${PREFIX}${name}${braces(labelText(labels))} ${value}`),
      ]);

  const renderCounters = (): string[] =>
    [...counters].flatMap(([name, values]) => [
      `# TYPE ${PREFIX}${name} counter`,
      ...[...values].map(([labels, value]) => `${PREFIX}${name}${braces(labels)} ${value}`),
    ]);

  const renderHistogram = (name: string, labels: string, value: Histogram): string[] => {
    const prefix = labels === "" ? "" : `${labels},`;
    let below = 0;
    return [
      ...BUCKETS.map((edge, at) => {
        below += value.counts[at] ?? 0;
        return `${PREFIX}${name}_bucket{${prefix}le="${edge}"} ${below}`;
      }),
      `${PREFIX}${name}_bucket{${prefix}le="+Inf"} ${value.total}`,
      `${PREFIX}${name}_sum${braces(labels)} ${value.sum}`,
      `${PREFIX}${name}_count${braces(labels)} ${value.total}`,
    ];
  };

  return {
    count: (name, labels = {}, by = 1) => {
      const values = series(counters, name);
      const key = labelText(labels);
      values.set(key, (values.get(key) ?? 0) + by);
    },
    observe: (name, labels, seconds) => {
      const values = series(histograms, name);
      const key = labelText(labels);
      let one = values.get(key);
      if (!one) values.set(key, (one = { counts: BUCKETS.map(() => 0), sum: 0, total: 0 }));
      const at = BUCKETS.findIndex((edge) => seconds <= edge);
      if (at >= 0) one.counts[at] = (one.counts[at] ?? 0) + 1;
      one.sum += seconds;
      one.total += 1;
    },
    gauge: (name, help, read) => {
      collectors.push(async () => [{ name, help, samples: [{ labels: {}, value: read() }] }]);
    },
    collect: (read) => {
      collectors.push(read);
    },
    render: async () =>
      [
        ...(await renderGauges()),
        ...renderCounters(),
        ...[...histograms].flatMap(([name, values]) => [
          `# TYPE ${PREFIX}${name} histogram`,
          ...[...values].flatMap(([labels, value]) => renderHistogram(name, labels, value)),
        ]),
        "",
      ].join("\n"),
  };
};
