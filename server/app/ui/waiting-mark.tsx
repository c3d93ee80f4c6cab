import { countText } from "./format.ts";
import { useLookingForChanges, useWaitingChanges } from "./waiting-changes.ts";

/** Says on every page that a change waits: it does so for ten minutes only. */
export const WaitingMark = () => {
  useLookingForChanges();
  const waiting = useWaitingChanges();
  const [first, other] = waiting;
  const target = first && !other ? `/__companion/approvals/${first.id}` : "/__companion/";
  return (
    <span role="status" class="mark">
      {waiting.length > 0 && (
        <a href={target}>
          {countText(waiting.length, "change")} {waiting.length === 1 ? "waits" : "wait"} for you
        </a>
      )}
    </span>
  );
};
