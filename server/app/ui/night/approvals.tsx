import { timeText } from "../format.ts";
import type { WaitingChange } from "../waiting-changes.ts";

/** What a browser agent wants to change, each with the way to its page. */
export const WaitingChanges = ({ changes }: { changes: WaitingChange[] }) =>
  changes.length === 0 ? null : (
    <ul class="asked notice warn">
      {changes.map(({ id, title, askedBy, expiresAt }) => (
        <li key={id}>
          <a class="button" href={`/__companion/approvals/${id}`}>
            Review: {title}
          </a>
          <span>
            asked by {askedBy}, expires {timeText(expiresAt)}
          </span>
        </li>
      ))}
    </ul>
  );
