import { useEffect } from "preact/hooks";
import { call, inPath } from "./api.ts";
import { Failure, Time } from "./parts.tsx";
import { useLoad } from "./use-load.ts";

const ACTIONS: Readonly<Record<string, string>> = {
  created: "uploaded",
  activated: "put live",
  expired: "expired",
  deleted: "deleted",
  pinned: "pinned",
  unpinned: "unpinned",
  imported: "imported",
};

/** What happened to a site, and by whose token, the newest first. @param at changes when the site did */
export const Activity = ({ site, at }: { site: string; at: string }) => {
  const name = inPath(site);
  const { value, error, reload } = useLoad(() => call(({ api }) => api.sites({ name }).events.get()), site);
  useEffect(() => void reload(), [at]);
  return (
    <details class="activity">
      <summary>Activity</summary>
      <Failure error={error} />
      {value && (
        <ol class="events">
          {value.events.map(({ at: when, deployment, action, by, detail }) => (
            <li key={`${when} ${deployment ?? ""} ${action}`}>
              <Time iso={when} />{" "}
              <span>
                {deployment === undefined ? "The site was" : <code>{deployment}</code>}{" "}
                {ACTIONS[action] ?? action} by {by}
                {detail !== undefined && (
                  <span class="quiet">
                    {action === "activated" ? " in place of " : " · "}
                    {detail}
                  </span>
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
    </details>
  );
};
