import { countText } from "./format.ts";
import { useLookingForChanges, useWaitingChanges } from "./waiting-changes.ts";

/** Says that a change waits, for ten minutes only, on every page that does not show it itself. */
export const WaitingMark = ({ isShown }: { isShown: boolean }) => {
  useLookingForChanges();
  const waiting = useWaitingChanges();
  const [first, other] = waiting;
  const target = first && !other ? `/__companion/approvals/${first.id}` : "/__companion/";
  return (
    <span role="status" class="mark">
      {isShown && waiting.length > 0 && (
        <a href={target}>
          {countText(waiting.length, "change")} {waiting.length === 1 ? "waits" : "wait"} for you
        </a>
      )}
    </span>
  );
};
