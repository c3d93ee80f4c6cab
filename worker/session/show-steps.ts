import { Listr, type ListrTaskWrapper } from "listr2";

export type Shown = Pick<ListrTaskWrapper<unknown, never, never>, "title" | "output"> & {
  /** the step went well and its answer is no: it gets no tick */
  isBlocked?: boolean;
};

/** Runs one of the announced steps, shown under its title, and hands on what it found. */
export type ShowStep<Title extends string> = <T>(
  title: Title,
  run: (shown: Shown) => Promise<T>,
) => Promise<T>;

export type Renderer = "default" | "simple" | "silent";

type Turn = { begin: (run: ((shown: Shown) => Promise<void>) | undefined) => void };

/**
 * Shows work as a listr2 pipeline whose steps are plain functions: each result is a value of the one who asked
 * for it. Steps that were not come to are shown as skipped.
 */
export const showSteps = async <Title extends string, T>(
  { renderer, titles, skipped }: { renderer: Renderer; titles: readonly Title[]; skipped: string },
  work: (step: ShowStep<Title>) => Promise<T>,
): Promise<T> => {
  const turns = new Map<Title, Turn>();
  const pipeline = new Listr<unknown, Renderer>(
    titles.map((title) => {
      const begun = new Promise<((shown: Shown) => Promise<void>) | undefined>((begin) =>
        turns.set(title, { begin }),
      );
      return {
        title,
        task: async (_, shown) => {
          const run = await begun;
          if (run) await run(shown);
          else shown.skip(`${title}: ${skipped}`);
        },
        rendererOptions: { outputBar: 1 },
      };
    }),
    { renderer, concurrent: false, exitOnError: false, collectErrors: false, registerSignalListeners: false },
  ).run();
  const step: ShowStep<Title> = (title, run) =>
    new Promise((resolve, reject) => {
      // Steps that were passed over come before this one.
      for (const earlier of titles.slice(0, titles.indexOf(title))) turns.get(earlier)?.begin(undefined);
      turns.get(title)?.begin(async (shown) => {
        try {
          resolve(await run(shown));
        } catch (error) {
          reject(error);
          throw error;
        }
        if (shown.isBlocked) throw new Error(shown.title);
      });
    });
  try {
    return await work(step);
  } finally {
    for (const { begin } of turns.values()) begin(undefined);
    await pipeline;
  }
};
