import { useId, useState } from "preact/hooks";
import { type Me, may, type Site, type SiteList } from "./api.ts";
import { bytesText, countText } from "./format.ts";
import { Command, Failure, Link, PageTitle, Time } from "./parts.tsx";
import { goTo, sitePath } from "./router.ts";

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const NewSite = ({ me, sites, domain }: { me: Me; sites: Site[]; domain: string }) => {
  const [name, setName] = useState(me.site ?? "");
  const [problem, setProblem] = useState("");
  const id = useId();
  const open = (event: Event) => {
    event.preventDefault();
    const wanted = name.trim().toLowerCase();
    if (!NAME.test(wanted) || wanted.includes("--"))
      setProblem("Use lowercase letters, digits and single hyphens, up to 63.");
    else if (sites.some((site) => site.name === wanted))
      setProblem(`There is a site ${wanted} already; open it in the list.`);
    else goTo(sitePath(wanted));
  };
  return (
    <form class="card row" onSubmit={open} noValidate>
      <div class="field grow">
        <label for={id}>New site</label>
        <input
          id={id}
          value={name}
          placeholder="docs"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-describedby={`${id}-problem`}
          aria-invalid={problem !== ""}
          onInput={(event) => {
            setName(event.currentTarget.value);
            setProblem("");
          }}
        />
        <p id={`${id}-problem`} class={problem === "" ? "quiet hint" : "problem hint"} role="status">
          {problem === "" ? `Lowercase letters, digits and hyphens: it becomes <name>.${domain}` : problem}
        </p>
      </div>
      <button type="submit" class="primary">
        Choose its files
      </button>
    </form>
  );
};

const SiteRow = ({ site }: { site: Site }) => {
  const { name, siteUrl, active, deployments, updatedAt } = site;
  return (
    <tr>
      <th scope="row">
        <Link to={sitePath(name)}>{name}</Link>
      </th>
      <td data-label="Status">
        <div>
          <span class={active ? "badge active" : "badge"}>{active ? "Live" : "Not live"}</span>
        </div>
      </td>
      <td data-label="Size">
        {active ? `${countText(active.files, "file")}, ${bytesText(active.bytes)}` : "–"}
      </td>
      <td data-label="Last deployed">
        <div>
          <Time iso={active?.activatedAt ?? updatedAt} />
          <span class="quiet"> · {deployments} in all</span>
        </div>
      </td>
      <td data-label="Address">{active ? <a href={siteUrl}>{new URL(siteUrl).host}</a> : "–"}</td>
    </tr>
  );
};

export const SitesPage = ({ list, error, me }: { list: SiteList | undefined; error: unknown; me: Me }) => (
  <main class="stack">
    <PageTitle title="Sites">Sites</PageTitle>
    <Failure error={error} />
    {list && may(me, "upload") && <NewSite me={me} sites={list.sites} domain={list.siteDomain} />}
    {list && list.sites.length > 0 && (
      <table class="sites">
        <caption class="sr">Sites, the last changed first</caption>
        <thead>
          <tr>
            <th scope="col">Site</th>
            <th scope="col">Status</th>
            <th scope="col">Size</th>
            <th scope="col">Last deployed</th>
            <th scope="col">Address</th>
          </tr>
        </thead>
        <tbody>
          {list.sites.map((site) => (
            <SiteRow key={site.name} site={site} />
          ))}
        </tbody>
      </table>
    )}
    {list && list.sites.length === 0 && (
      <div class="empty stack">
        <p class="strong">No site yet</p>
        <p class="quiet">Name one above and choose its folder, or publish from a terminal:</p>
        <Command text="nightshift publish dist --site docs" />
      </div>
    )}
  </main>
);
