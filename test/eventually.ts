import { expect } from "vitest";

/** Looks again until the expectation holds; patient, because a loaded machine is slow and not wrong. */
export const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read);
