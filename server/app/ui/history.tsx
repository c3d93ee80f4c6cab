import { useRef, useState } from "preact/hooks";
import { call, type Changes, type DeploymentSummary, type Me, may } from "./api.ts";
import { ChangeList } from "./change-list.tsx";
import { bytesText, countText } from "./format.ts";
import { Dialog } from "./dialog.tsx";
import { Button, Failure, Time } from "./parts.tsx";
import { activate, changesOf } from "./publish-job.ts";
import { useWork } from "./use-work.ts";

const isIncomplete = ({ missingFiles = 0 }: DeploymentSummary): boolean => missingFiles > 0;

const statusText = (deployment: DeploymentSummary): string => {
  switch (deployment.status) {
    case "active":
      return "Live";
    case "pending":
      return isIncomplete(deployment) ? "Incomplete" : "Preview";
    case "superseded":
      return "Previous";
    case "expired":
      return "Expired";
  }
};

/** What one calls a deployment: by its note, else by its id. */
const nameOf = ({ message, id }: DeploymentSummary): string => message ?? id;

type RowProps = {
  deployment: DeploymentSummary;
  live: DeploymentSummary | undefined;
  me: Me;
  onActivate: () => Promise<void>;
  onPin: () => Promise<void>;
  onDelete: () => void;
};

/** Compares with what is live; what was compared before the live one changed is shown no more. */
const useComparison = (id: string, live: string | undefined) => {
  const [shown, setShown] = useState<{ live: string | undefined; changes: Changes }>();
  const { error, run } = useWork();
  const changes = shown?.live === live ? shown?.changes : undefined;
  const toggle = () =>
    run(async () => setShown(changes ? undefined : { live, changes: await changesOf(id) }));
  return { changes, error, toggle };
};

const goLiveText = (
  { status, createdAt }: DeploymentSummary,
  live: DeploymentSummary | undefined,
): string => {
  if (status === "pending") return "Go live";
  return live && createdAt > live.createdAt ? "Make live" : "Roll back to this";
};

const Facts = ({ deployment }: { deployment: DeploymentSummary }) => {
  const { activatedAt, createdAt, owner, files, bytes, missingFiles = 0 } = deployment;
  return (
    <p class="quiet">
      <Time iso={activatedAt ?? createdAt} /> by {owner} · {countText(files, "file")}, {bytesText(bytes)}
      {isIncomplete(deployment) && <> · {missingFiles} not uploaded</>}
    </p>
  );
};

const Row = ({ deployment, live, me, onActivate, onPin, onDelete }: RowProps) => {
  const { id, status, message, pinned, previewUrl } = deployment;
  const { changes, error, toggle } = useComparison(id, live?.id);
  // What tells the buttons of one row from those of the next, for those who hear them.
  const name = `: ${nameOf(deployment)}`;
  const isWhole = status !== "expired" && !isIncomplete(deployment);
  const isCurrent = status === "active";
  return (
    <li class={isCurrent ? "deployment current" : "deployment"}>
      <div class="deployment-head">
        <span class={`badge ${status}`}>{statusText(deployment)}</span>
        <span class="strong">{message ?? <code>{id}</code>}</span>
        {pinned && <span class="badge">Pinned</span>}
      </div>
      <Facts deployment={deployment} />
      <div class="row">
        {isWhole && (
          <a class="button small" href={previewUrl} target="_blank" rel="noopener">
            {isCurrent ? "Open" : "Open preview"}
            <span class="sr">{name}</span>
          </a>
        )}
        {isWhole && !isCurrent && live !== undefined && (
          <Button
            text="Compare with live"
            of={name}
            class="small"
            aria-expanded={changes !== undefined}
            onClick={toggle}
          />
        )}
        {isWhole && !isCurrent && may(me, "activate") && (
          <Button text={goLiveText(deployment, live)} of={name} class="small" onClick={onActivate} />
        )}
        {isWhole && may(me, "activate") && (
          <Button
            text={pinned ? "Unpin" : "Pin"}
            of={name}
            class="small plain"
            aria-pressed={pinned}
            onClick={onPin}
          />
        )}
        {status === "pending" && may(me, "delete") && (
          <Button text="Delete…" of={name} class="small danger" onClick={onDelete} />
        )}
      </div>
      <Failure error={error} />
      {changes && <ChangeList changes={changes} />}
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
  const { error, run: attempt } = useWork();
  const [done, setDone] = useState("");
  const [deleting, setDeleting] = useState<DeploymentSummary>();
  const heading = useRef<HTMLHeadingElement>(null);
  const run = async (work: () => Promise<unknown>, text: string) => {
    setDone("");
    if (await attempt(work)) setDone(text);
    await onChanged();
    // The button that was pressed may be gone.
    if (document.activeElement === document.body) heading.current?.focus();
  };
  const pin = ({ id, pinned }: DeploymentSummary) =>
    run(
      () => call(({ api }) => api.deployments({ id }).pin.post({ pinned: !pinned })),
      pinned ? "Unpinned: kept as long as the newest ones are." : "Pinned: kept until you unpin it.",
    );
  return (
    <section class="stack" aria-labelledby="history-title">
      <h2 id="history-title" ref={heading} tabIndex={-1}>
        History
      </h2>
      <Failure error={error} />
      <p class={done === "" ? "sr" : "notice good"} role="status">
        {done}
      </p>
      <ol class="history">
        {deployments.map((deployment) => (
          <Row
            key={deployment.id}
            deployment={deployment}
            live={deployments.find(({ id }) => id === live)}
            me={me}
            onActivate={() => run(() => activate(deployment.id, live), `${nameOf(deployment)} is live.`)}
            onPin={() => pin(deployment)}
            onDelete={() => setDeleting(deployment)}
          />
        ))}
      </ol>
      {deleting && (
        <Dialog
          title={isIncomplete(deleting) ? "Delete incomplete upload" : "Delete preview"}
          action="Delete"
          tone="danger"
          onClose={() => setDeleting(undefined)}
          onSend={async () => {
            await call(({ api }) => api.deployments({ id: deleting.id }).delete());
            await run(async () => undefined, `${nameOf(deleting)} is deleted.`);
          }}
        >
          <p>{nameOf(deleting)} was never live. To get it back, publish its folder again.</p>
        </Dialog>
      )}
    </section>
  );
};
