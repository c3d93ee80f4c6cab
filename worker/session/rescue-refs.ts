import type { Git } from "../../core/git.ts";

export type RescueRef = { ref: string; number: number };

const REF_ROOT = "refs/nightshift/rescue";

// A worker's name may hold dots, which git refuses in some places of a ref.
const refFolder = (worker: string): string => `${REF_ROOT}/${worker.replaceAll(".", "%2E")}`;

/** The ref under which a session's leftovers of a worker are saved. */
export const rescueRef = (worker: string, number: number): string => `${refFolder(worker)}/${number}`;

/** Every rescue of a worker in a repository, oldest first. */
export const rescueRefs = async (git: Git, worker: string): Promise<RescueRef[]> => {
  const refs = await git.find(["for-each-ref", "--format=%(refname)", `${refFolder(worker)}/`]);
  return (refs ?? "")
    .split("\n")
    .filter(Boolean)
    .map((ref) => ({ ref, number: Number(ref.slice(ref.lastIndexOf("/") + 1)) }))
    .toSorted((a, b) => a.number - b.number);
};

/** The session's own number, or the next one that no rescue has. */
export const nextFreeRef = async (git: Git, worker: string, first: number): Promise<RescueRef> => {
  const taken = new Set((await rescueRefs(git, worker)).map(({ number }) => number));
  let number = first;
  while (taken.has(number)) number++;
  return { ref: rescueRef(worker, number), number };
};
