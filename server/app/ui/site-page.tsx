import { useState } from "preact/hooks";
import {
  ApiError,
  call,
  type DeploymentSummary,
  inPath,
  type Limits,
  type Me,
  may,
  saveAs,
  type Site,
} from "./api.ts";
import { Activity } from "./activity.tsx";
import { bytesText, countText } from "./format.ts";
import { History } from "./history.tsx";
import { isLoopbackHost } from "./pairing.ts";
import { Dialog } from "./dialog.tsx";
import { Button, Command, Failure, Link, PageTitle, Time } from "./parts.tsx";
import { findSite } from "./publish-job.ts";
import { PublishPanel } from "./publish-panel.tsx";
import { goTo } from "./router.ts";
import { useAgain, useLoad } from "./use-load.ts";
import { useWork } from "./use-work.ts";

type Loaded = { site: Site | undefined; deployments: DeploymentSummary[] };

/** A site, or nothing where one of that name can still be made. */
const loadSite = async (name: string): Promise<Loaded> => {
  try {
    const site = await findSite(name);
    if (site === undefined) return { site, deployments: [] };
    const { deployments } = await call(({ api }) => api.sites({ name: inPath(name) }).deployments.get());
    return { site, deployments };
  } catch (error) {
    // Deleted between the two requests.
    if (error instanceof ApiError && error.status === 404) return { site: undefined, deployments: [] };
    throw error;
  }
};

/** Names of one machine lead nowhere on another, a phone for one. */
const isOutOfReach = ({ siteUrl }: Site): boolean =>
  new URL(siteUrl).hostname.endsWith(".localhost") && !isLoopbackHost(location.hostname);

const Summary = ({ site }: { site: Site }) => (
  <>
    <LiveLine site={site} />
    {isOutOfReach(site) && (
      <p class="notice">
        Addresses under <code>localhost</code> open only on the server's own machine. Start it with{" "}
        <code>SITES_DOMAIN</code> to reach its sites from here.
      </p>
    )}
  </>
);

const LiveLine = ({ site }: { site: Site }) =>
  site.active ? (
    <p>
      <a href={site.siteUrl} target="_blank" rel="noopener">
        {site.siteUrl}
      </a>
      <span class="quiet">
        {" "}
        · {countText(site.active.files, "file")}, {bytesText(site.active.bytes)} · live since{" "}
        <Time iso={site.active.activatedAt ?? site.active.createdAt} />
      </span>
    </p>
  ) : (
    <p class="quiet">Nothing is live yet.</p>
  );

export const SitePage = ({ name, limits, me }: { name: string; limits: Limits; me: Me }) => {
  const { value, error, reload } = useLoad(() => loadSite(name), name);
  useAgain(reload);
  const [isDeleting, setDeleting] = useState(false);
  const download = useWork();
  const site = value?.site;
  const live = site?.activeDeploymentId;
  return (
    <main class="stack">
      <nav aria-label="Breadcrumb">
        <Link to="/app/sites">Sites</Link> <span aria-hidden="true">/</span>{" "}
        <span aria-current="page">{name}</span>
      </nav>
      <PageTitle title={name}>{name}</PageTitle>
      <Failure error={download.error ?? error} />
      {value && (
        <>
          {site ? <Summary site={site} /> : <p class="quiet">New site. Publish a folder to create it.</p>}
          {may(me, "upload") && (
            <PublishPanel site={name} live={live} limits={limits} me={me} onChanged={reload} />
          )}
          {value.deployments.length > 0 && (
            <History deployments={value.deployments} live={live} me={me} onChanged={reload} />
          )}
          {site && (
            <Activity
              site={name}
              at={[site.updatedAt, live, ...value.deployments.map(({ id }) => id)].join()}
            />
          )}
          {site && (
            <section class="stack" aria-labelledby="more-title">
              <h2 id="more-title">More</h2>
              <p class="quiet">Publish from a terminal or a pipeline:</p>
              <Command text={`nightshift publish dist --site ${name}`} />
              <div class="row">
                <Button
                  text="Download site and history"
                  onClick={() =>
                    download.run(() => saveAs(`/api/sites/${inPath(name)}/export`, `${name}.nightshift.tar`))
                  }
                />
                {may(me, "delete") && (
                  <Button text="Delete site…" class="danger" onClick={() => setDeleting(true)} />
                )}
              </div>
            </section>
          )}
          {isDeleting && (
            <Dialog
              title="Delete site"
              name={name}
              action="Delete site"
              tone="danger"
              onClose={() => setDeleting(false)}
              onSend={async () => {
                await call(({ api }) => api.sites({ name: inPath(name) }).delete());
                goTo("/app/sites");
              }}
            >
              <p>The site goes offline at once, and its whole history is deleted. This cannot be undone.</p>
            </Dialog>
          )}
        </>
      )}
    </main>
  );
};
