import { useState } from "preact/hooks";
import { ApiError, call, type DeploymentSummary, type Limits, type Me, may, type Site } from "./api.ts";
import { bytesText, countText } from "./format.ts";
import { History } from "./history.tsx";
import { Command, ConfirmByName, Failure, Link, PageTitle, Time } from "./parts.tsx";
import { PublishPanel } from "./publish-panel.tsx";
import { goTo } from "./router.ts";
import { useLoad } from "./use-load.ts";

type Loaded = { site: Site | undefined; deployments: DeploymentSummary[] };

/** A site, or nothing where one of that name can still be made. */
const loadSite = async (name: string): Promise<Loaded> => {
  const path = `/api/sites/${encodeURIComponent(name)}`;
  try {
    const [site, { deployments }] = await Promise.all([
      call<Site>("GET", path),
      call<{ deployments: DeploymentSummary[] }>("GET", `${path}/deployments`),
    ]);
    return { site, deployments };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { site: undefined, deployments: [] };
    throw error;
  }
};

const Summary = ({ site }: { site: Site }) =>
  site.active ? (
    <p>
      <a href={site.siteUrl}>{site.siteUrl}</a>
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
  const [isDeleting, setDeleting] = useState(false);
  const site = value?.site;
  const live = site?.activeDeploymentId;
  return (
    <main class="stack">
      <nav aria-label="Breadcrumb">
        <Link to="/app/sites">Sites</Link> <span aria-hidden="true">/</span>{" "}
        <span aria-current="page">{name}</span>
      </nav>
      <PageTitle title={name}>{name}</PageTitle>
      <Failure error={error} />
      {value && (
        <>
          {site ? <Summary site={site} /> : <p class="quiet">A new site: it begins with what you publish.</p>}
          {may(me, "upload") && (
            <PublishPanel site={name} live={live} limits={limits} me={me} onChanged={reload} />
          )}
          {value.deployments.length > 0 && (
            <History deployments={value.deployments} live={live} me={me} onChanged={reload} />
          )}
          {site && (
            <section class="stack" aria-labelledby="more-title">
              <h2 id="more-title">More</h2>
              <p class="quiet">Publish from a terminal or a pipeline:</p>
              <Command text={`nightshift publish dist --site ${name}`} />
              <div class="row">
                <a class="button" href={`/api/sites/${encodeURIComponent(name)}/export`}>
                  Download site and history
                </a>
                {may(me, "delete") && (
                  <button type="button" class="danger" onClick={() => setDeleting(true)}>
                    Delete site…
                  </button>
                )}
              </div>
            </section>
          )}
          {isDeleting && (
            <ConfirmByName
              title="Delete site"
              name={name}
              action="Delete site"
              onClose={() => setDeleting(false)}
              onConfirm={async () => {
                await call("DELETE", `/api/sites/${encodeURIComponent(name)}`);
                goTo("/app/sites");
              }}
            >
              The site goes offline at once, with its whole history. This cannot be undone.
            </ConfirmByName>
          )}
        </>
      )}
    </main>
  );
};
