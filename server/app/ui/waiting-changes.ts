import { useEffect, useState } from "preact/hooks";
import { open } from "./api.ts";
import { useAgain } from "./use-load.ts";

/** A change that a browser agent wants to make and a person has to decide on. */
export type WaitingChange = { id: string; title: string; askedBy: string; expiresAt: string };

// Of the whole page: asked for once, shown in its head and on the Night page.
let waiting: WaitingChange[] = [];
const listeners = new Set<() => void>();

const read = async (): Promise<WaitingChange[]> => {
  const answer = await open("/__companion/approvals?status=pending", {
    headers: { accept: "application/json" },
  });
  return ((await answer.json()) as { approvals: WaitingChange[] }).approvals;
};

const look = async (): Promise<void> => {
  try {
    waiting = await read();
  } catch {
    // What cannot be read now is read with the next look.
    return;
  }
  for (const listener of listeners) listener();
};

/** Keeps what waits current while somebody is signed in. */
export const useLookingForChanges = (): void => {
  useEffect(() => {
    waiting = [];
    void look();
  }, []);
  useAgain(look, 5_000);
};

export const useWaitingChanges = (): WaitingChange[] => {
  const [, setCount] = useState(0);
  useEffect(() => {
    const listener = () => setCount((count) => count + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return waiting;
};
