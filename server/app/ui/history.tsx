import { useState } from "preact/hooks";
import { call, type Changes, type DeploymentSummary, type Me, may } from "./api.ts";
import { ChangeList } from "./change-list.tsx";
import { bytesText, countText } from "./format.ts";
import { Failure, Time } from "./parts.tsx";
import { activate } from "./publish-job.ts";

const STATUS: Record<DeploymentSummary["status"], string> = {
  active: "Live",
  pending: "Waiting",
  superseded: "Past",
  expired: "Expired",
};

const actionText = ({ status }: DeploymentSummary): string =>
  status === "pending" ? "Go live" : "Roll back to this";

type RowProps = {
  deployment: DeploymentSummary;
  live: string | undefined;
  me: Me;
  onActivate: (deployment: DeploymentSummary) => Promise<void>;
  onPin: (deployment: DeploymentSummary) => Promise<void>;
};

const Row = ({ deployment, live, me, onActivate, onPin }: RowProps) => {
  const { id, status, createdAt, activatedAt, message, files, bytes, owner, pinned, previewUrl } = deployment;
  const [changes, setChanges] = useState<Changes>();
  const [error, setError] = useState<unknown>();
  // What tells the buttons of one row from those of the next, for those who hear them.
  const name = `: ${message ?? id}`;
  const canActivate = may(me, "activate") && (status === "superseded" || status === "pending");
  const compare = async () => {
    if (changes) {
      setChanges(undefined);
      return;
    }
    try {
      setChanges(await call<Changes>("GET", `/api/deployments/${id}/changes`));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <li class={status === "active" ? "deployment live" : "deployment"}>
      <div class="deployment-head">
        <span class={`badge ${status}`}>{STATUS[status]}</span>
        <span class="strong">{message ?? <code>{id}</code>}</span>
        {pinned && <span class="badge">Pinned</span>}
      </div>
      <p class="quiet">
        <Time iso={activatedAt ?? createdAt} /> by {owner} · {countText(files, "file")}, {bytesText(bytes)}
      </p>
      <div class="row">
        {status !== "expired" && (
          <a class="button small" href={previewUrl}>
            Open<span class="sr">{name}</span>
          </a>
        )}
        {status !== "active" && live !== undefined && (
          <button
            type="button"
            class="small"
            aria-expanded={changes !== undefined}
            onClick={() => void compare()}
          >
            What would change<span class="sr">{name}</span>
          </button>
        )}
        {canActivate && (
          <button type="button" class="small" onClick={() => void onActivate(deployment)}>
            {actionText(deployment)}
            <span class="sr">{name}</span>
          </button>
        )}
        {may(me, "activate") && status !== "expired" && (
          <button
            type="button"
            class="small plain"
            aria-pressed={pinned}
            onClick={() => void onPin(deployment)}
          >
            {pinned ? "Unpin" : "Pin"}
            <span class="sr">{name}</span>
          </button>
        )}
      </div>
      <Failure error={error} />
      {changes && (
        <ChangeList changes={changes} what={status === "pending" ? "Going live" : "Rolling back"} />
      )}
    </li>
  );
};

type Props = {
  deployments: DeploymentSummary[];
  live: string | undefined;
  me: Me;
  onChanged: () => Promise<void>;
};

/** All deployments of a site, the newest first; any of them can be put live again. */
export const History = ({ deployments, live, me, onChanged }: Props) => {
  const [error, setError] = useState<unknown>();
  const [done, setDone] = useState("");
  const run = async (work: () => Promise<unknown>, text: string) => {
    setError(undefined);
    setDone("");
    try {
      await work();
      setDone(text);
    } catch (failure) {
      setError(failure);
    }
    await onChanged();
  };
  return (
    <section class="stack" aria-labelledby="history-title">
      <h2 id="history-title">History</h2>
      <Failure error={error} />
      <p class={done === "" ? "sr" : "notice good"} role="status">
        {done}
      </p>
      <ol class="history">
        {deployments.map((deployment) => (
          <Row
            key={deployment.id}
            deployment={deployment}
            live={live}
            me={me}
            onActivate={({ id, message }) => run(() => activate(id, live), `${message ?? id} is live.`)}
            onPin={({ id, pinned }) =>
              run(
                () => call("POST", `/api/deployments/${id}/pin`, { pinned: !pinned }),
                pinned
                  ? "Unpinned: kept as long as the newest ones are."
                  : "Pinned: kept until you unpin it.",
              )
            }
          />
        ))}
      </ol>
    </section>
  );
};
