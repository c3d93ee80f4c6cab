type Job = { run: () => void; committed: () => void; failed: (error: unknown) => void };

export type WriteQueue = {
  add: <T>(work: () => T) => Promise<T>;
  settled: () => Promise<void>;
};

/** Collects the changes of one turn of the event loop and commits them in one transaction. */
export const createWriteQueue = (transaction: <T>(work: () => T) => T): WriteQueue => {
  let waiting: Job[] = [];
  let flushed: Promise<void> = Promise.resolve();

  const flush = (): void => {
    const jobs = waiting;
    waiting = [];
    const failures = new Map<Job, unknown>();
    try {
      transaction(() => {
        for (const job of jobs)
          try {
            transaction(job.run);
          } catch (error) {
            failures.set(job, error);
          }
      });
    } catch (error) {
      // The commit itself failed: nothing of this batch is on disk.
      for (const job of jobs) job.failed(failures.get(job) ?? error);
      return;
    }
    for (const job of jobs)
      if (failures.has(job)) job.failed(failures.get(job));
      else job.committed();
  };

  const schedule = (): void => {
    flushed = new Promise((resolve) => {
      setImmediate(() => {
        flush();
        resolve();
      });
    });
  };

  return {
    add: <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        let result: { value: T } | undefined;
        const job: Job = {
          run: () => {
            result = { value: work() };
          },
          committed: () => {
            if (result) resolve(result.value);
          },
          failed: reject,
        };
        if (waiting.length === 0) schedule();
        waiting.push(job);
      }),
    settled: () => flushed,
  };
};
