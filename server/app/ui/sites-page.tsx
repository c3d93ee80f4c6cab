import { useId, useRef, useState } from "preact/hooks";
import { type Limits, type Me, may, type Site, type SiteList } from "./api.ts";
import { totalOf } from "./check-files.ts";
import type { Chosen } from "./collect.ts";
import { DropZone } from "./drop-zone.tsx";
import { Form } from "./fields.tsx";
import { bytesText, countText } from "./format.ts";
import { Button, Command, Failure, Link, PageTitle, Table, Time } from "./parts.tsx";
import { choose } from "./publications.ts";
import { goTo, sitePath } from "./router.ts";

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** A name for a site from a folder's: "My Shop (2)" -> "my-shop-2". */
const toSiteName = (folder: string): string =>
  folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 63);

const findProblem = (name: string, sites: Site[], isDropped: boolean): string => {
  if (!NAME.test(name) || name.includes("--"))
    return "Use lowercase letters, digits and single hyphens, up to 63.";
  const isTaken = sites.some((site) => site.name === name);
  return isTaken && !isDropped ? `There is a site ${name} already; open it in the list.` : "";
};

type NewSiteProps = { me: Me; sites: Site[]; domain: string; limits: Limits };

/** A name first and its folder on the next page, or a folder first, whose name is suggested. */
const NewSite = ({ me, sites, domain, limits }: NewSiteProps) => {
  const [name, setName] = useState(me.site ?? "");
  const [dropped, setDropped] = useState<Chosen>();
  const [problem, setProblem] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const open = () => {
    const wanted = name.trim().toLowerCase();
    const found = findProblem(wanted, sites, dropped !== undefined);
    setProblem(found);
    if (found !== "") return;
    if (dropped) void choose(wanted, dropped, limits);
    goTo(sitePath(wanted));
  };
  const take = (chosen: Chosen) => {
    setDropped(chosen);
    if (name === "") setName(toSiteName(chosen.name));
    input.current?.focus();
  };
  const isThere = sites.some((site) => site.name === name);
  return (
    <section class="card stack" aria-label="New site">
      <Form class="row top" onSend={open} noValidate>
        <div class="field grow">
          <label for={id}>{dropped ? "Publish to the site" : "New site"}</label>
          <input
            id={id}
            ref={input}
            value={name}
            placeholder="docs"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            readOnly={me.site !== undefined}
            aria-describedby={`${id}-problem`}
            aria-invalid={problem !== ""}
            onInput={(event) => {
              setName(event.currentTarget.value);
              setProblem("");
            }}
          />
          <p id={`${id}-problem`} class={problem === "" ? "quiet hint" : "problem hint"} role="status">
            {problem !== ""
              ? problem
              : dropped && isThere
                ? `${name} exists: you see what would change before anything is sent.`
                : `Your site's address: ${name === "" ? "<name>" : name}.${domain}`}
          </p>
        </div>
        <button type="submit" class="primary">
          Continue
        </button>
      </Form>
      {dropped ? (
        <p>
          {countText(dropped.files.length, "file")}
          {dropped.name !== "" && <> of {dropped.name}</>}, {bytesText(totalOf(dropped.files))}.{" "}
          <Button text="Choose another folder" class="small plain" onClick={() => setDropped(undefined)} />
        </p>
      ) : (
        <DropZone limits={limits} onFiles={take} />
      )}
    </section>
  );
};

const SiteRow = ({ site }: { site: Site }) => {
  const { name, siteUrl, active, deployments } = site;
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
          {active ? <Time iso={active.activatedAt ?? active.createdAt} /> : "–"}
          <span class="quiet"> · {countText(deployments, "deployment")}</span>
        </div>
      </td>
      <td data-label="Address">
        {active ? (
          <a href={siteUrl} target="_blank" rel="noopener">
            {new URL(siteUrl).host}
          </a>
        ) : (
          "–"
        )}
      </td>
    </tr>
  );
};

/** A token for one site makes no other; once that is there, it is in the list. */
const mayMakeSite = (me: Me, { sites }: SiteList): boolean =>
  may(me, "upload") && !sites.some(({ name }) => name === me.site);

export const SitesPage = ({ list, error, me }: { list: SiteList | undefined; error: unknown; me: Me }) => (
  <main class="stack">
    <PageTitle title="Sites">Sites</PageTitle>
    <Failure error={error} />
    {list && mayMakeSite(me, list) && (
      <NewSite me={me} sites={list.sites} domain={list.siteDomain} limits={list.limits} />
    )}
    {list && list.sites.length > 0 && (
      <Table
        class="sites"
        caption="Sites, the last changed first"
        columns={["Site", "Status", "Size", "Last deployed", "Address"]}
      >
        <tbody>
          {list.sites.map((site) => (
            <SiteRow key={site.name} site={site} />
          ))}
        </tbody>
      </Table>
    )}
    {list && list.sites.length === 0 && (
      <div class="empty stack">
        <p class="strong">No sites yet</p>
        <p class="quiet">Drop a folder above, or publish from a terminal:</p>
        <Command text="nightshift publish dist --site docs" />
      </div>
    )}
  </main>
);
