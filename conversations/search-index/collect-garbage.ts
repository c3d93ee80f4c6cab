type Collector = { gc?: (isFull: boolean) => unknown };

/**
 * On Bun, garbage of read transcripts is otherwise left lying until memory has doubled; Node collects it by
 * itself. The only file here that asks which runtime it is on.
 */
export const collectGarbage = (): void => {
  const runtime = (globalThis as { Bun?: Collector }).Bun;
  runtime?.gc?.(true);
};
