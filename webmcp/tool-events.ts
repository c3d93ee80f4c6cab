/** What a browser tells of a call: `toolactivated` when a tool is run, `toolcancel` when its call was cancelled. */
export interface ToolEvent extends Event {
  readonly type: "toolactivated" | "toolcancel";
  /** The name of the tool. */
  readonly toolName: string;
}

/** The events of `document.modelContext` from Chromium 156 on (webmachinelearning/webmcp#245). */
export type ModelContextEvents = { toolchange: Event; toolactivated: ToolEvent; toolcancel: ToolEvent };

/**
 * Tells the listener of each call of a tool and of each that was cancelled, until the signal aborts. Chromium 156
 * tells `document.modelContext`; before, it told the window. A browser without the feature tells nothing.
 */
export const watchToolCalls = (
  listener: (event: ToolEvent) => void,
  { signal }: { signal?: AbortSignal } = {},
): void => {
  const { modelContext } = globalThis.document as { modelContext?: EventTarget };
  const target = modelContext && "ontoolactivated" in modelContext ? modelContext : globalThis;
  const options = signal === undefined ? {} : { signal };
  for (const type of ["toolactivated", "toolcancel"] as const)
    target.addEventListener(type, listener as (event: Event) => void, options);
};
