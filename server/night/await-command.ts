import { AppError } from "../../core/errors.ts";
import { viewCommand } from "./commands.ts";
import type { NightPorts } from "./ports.ts";
import type { CommandView } from "./schemas.ts";

type Wanted = { run: string; id: string; ms: number; gone: AbortSignal };

/**
 * A command as soon as it was done, failed or expired, or as it is after so many milliseconds or when the asking
 * one has gone.
 * @throws AppError `not-found`
 */
export const awaitCommand = async (
  { store, bus, now }: Pick<NightPorts, "store" | "bus" | "now">,
  { run, id, ms, gone }: Wanted,
): Promise<CommandView> => {
  let wake = (): void => {};
  let isOver = false;
  const end = (): void => {
    isOver = true;
    wake();
  };
  const unlisten = bus.listen((change) => change.run === run && wake(), end);
  const late = setTimeout(end, ms);
  gone.addEventListener("abort", end, { once: true });
  try {
    for (;;) {
      // Before the look: what changes during it must not be missed.
      const changed = new Promise<void>((resolve) => (wake = resolve));
      const command = (await store.listCommands(run)).find((one) => one.id === id);
      if (!command) throw new AppError("not-found", `There is no request ${id} of run ${run}`);
      const view = viewCommand(command, now());
      const isOpen = view.state === "sent" || view.state === "received";
      if (!isOpen || isOver || gone.aborted) return view;
      await changed;
    }
  } finally {
    unlisten();
    clearTimeout(late);
    gone.removeEventListener("abort", end);
  }
};
