import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { Failure } from "../parts.tsx";
import { useWork } from "../use-work.ts";
import { readText, type RunEvent } from "./night-api.ts";

type Shown = { View: ComponentType<{ patch: string; leftOut: number }>; patch: string };

/** A patch, and the program that shows one: both are loaded when somebody wants to see it. */
export const Patch = ({ run, event }: { run: string; event: RunEvent }) => {
  const [shown, setShown] = useState<Shown>();
  const { error, run: attempt } = useWork();
  const leftOut = event.data["leftOut"];
  const load = async () => {
    const [{ PatchView }, patch] = await Promise.all([
      import("./patch-view.tsx"),
      readText(run, event.number),
    ]);
    setShown({ View: PatchView, patch });
  };
  return (
    <details class="long" onToggle={(toggled) => toggled.currentTarget.open && !shown && void attempt(load)}>
      <summary>Changes</summary>
      <Failure error={error} />
      {shown && <shown.View patch={shown.patch} leftOut={typeof leftOut === "number" ? leftOut : 0} />}
    </details>
  );
};
