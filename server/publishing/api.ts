import { AppError } from "../../core/errors.ts";
import type { Static } from "../../core/schema.ts";
import { authenticate, type AuthPorts, maySee, type Principal, requireAction } from "../auth/authenticate.ts";
import type { TokenAction } from "../auth/token.ts";
import { activateDeployment } from "./activate-deployment.ts";
import { collect } from "./collect.ts";
import {
  createDeployment,
  type DeploymentRequest,
  nameMissing,
  planDeployment,
} from "./create-deployment.ts";
import type { Deployment, DeploymentSummary, Site } from "./deployment.ts";
import { planChange } from "./plan.ts";
import type { PublishingPorts } from "./ports.ts";
import { readExpectedActive } from "./if-match.ts";
import { type PublishedView, viewPublished } from "./published-by.ts";
import { parseSiteName } from "../../core/site-name.ts";
import type {
  ActivatedView,
  ChangesView,
  CreatedView,
  DeletedSiteView,
  DeletedView,
  DeploymentView,
  EventsView,
  PinnedView,
  PlannedView,
  SitesView,
  SiteView,
  SummaryView,
} from "./schemas.ts";
import {
  type Addresses,
  createAddresses,
  viewDeployment,
  viewEvent,
  viewSite,
  viewSummary,
} from "./views.ts";

/** What the routes need: publishing itself, who asks, and under which names sites are reached. */
export type ApiPorts = {
  publishing: PublishingPorts;
  auth: AuthPorts;
  sitesDomain: string;
  /** scheme and port of the public address, when the server stands behind a proxy */
  publicUrl: string | undefined;
};

const MAX_EVENTS = 200;

const addressesOf = ({ sitesDomain, publicUrl }: ApiPorts, request: Request): Addresses =>
  createAddresses(sitesDomain, new URL(publicUrl ?? request.url));

const noSite = (name: string): AppError => new AppError("not-found", `There is no site ${name}`);

const readKey = (request: Request): string | undefined => {
  const key = request.headers.get("idempotency-key");
  if (key !== null && !/^[\x21-\x7e ]{1,200}$/.test(key))
    throw new AppError("usage", "Idempotency-Key must have 1 to 200 printable characters");
  return key ?? undefined;
};

/** Every operation of the publishing API: who may do it, what it does, what it answers. */
export const createPublishingApi = (ports: ApiPorts) => {
  const { publishing, auth } = ports;
  const { store, limits, now } = publishing;

  const findSiteFor = async (principal: Principal, text: string): Promise<Site> => {
    const name = parseSiteName(text);
    const site = maySee(principal, name) ? await store.findSite(name) : undefined;
    if (!site) throw noSite(name);
    return site;
  };
  /** The deployment, to whoever may see its site; to others there is none. */
  const findDeploymentFor = async (principal: Principal, id: string): Promise<Deployment> => {
    const deployment = await store.findDeployment(id);
    if (!deployment || !maySee(principal, deployment.site))
      throw new AppError("not-found", `There is no deployment ${id.slice(0, 80)}`);
    return deployment;
  };
  const allowed = async (request: Request, id: string, action: TokenAction) => {
    const principal = await authenticate(auth, request);
    const deployment = await findDeploymentFor(principal, id);
    requireAction(principal, action, deployment.site);
    return { principal, deployment };
  };
  const describe = async (deployment: Deployment, addresses: Addresses): Promise<DeploymentView> => ({
    ...viewDeployment(deployment, addresses),
    missing: nameMissing(deployment.manifest, await store.listMissing(deployment.id)),
  });
  /** A line of the history; of one that waits it says whether the upload came to its end. */
  const summarize = async (deployment: DeploymentSummary, addresses: Addresses): Promise<SummaryView> => ({
    ...viewSummary(deployment, addresses),
    ...(deployment.status === "pending"
      ? { missingFiles: (await store.listMissing(deployment.id)).length }
      : {}),
  });

  return {
    listSites: async (request: Request): Promise<SitesView> => {
      const principal = await authenticate(auth, request);
      const addresses = addressesOf(ports, request);
      const sites = (await store.listSites()).filter(({ name }) => maySee(principal, name));
      const { maxFiles, maxFileBytes, maxSiteBytes } = limits;
      return {
        sites: sites.map((site) => viewSite(site, addresses)),
        siteDomain: ports.sitesDomain,
        limits: { maxFiles, maxFileBytes, maxSiteBytes },
      };
    },
    getSite: async (request: Request, name: string): Promise<SiteView> => {
      const principal = await authenticate(auth, request);
      const site = await findSiteFor(principal, name);
      const summary = (await store.listSites()).find((candidate) => candidate.name === site.name);
      if (!summary) throw noSite(site.name);
      return viewSite(summary, addressesOf(ports, request));
    },
    listDeployments: async (request: Request, name: string): Promise<{ deployments: SummaryView[] }> => {
      const site = await findSiteFor(await authenticate(auth, request), name);
      const addresses = addressesOf(ports, request);
      const deployments = await store.listDeployments(site.name);
      return { deployments: await Promise.all(deployments.map((one) => summarize(one, addresses))) };
    },
    /** What a run has published, the newest first. Who may ask is the caller's to say. */
    publishedBy: async (request: Request, run: string): Promise<PublishedView[]> => {
      const addresses = addressesOf(ports, request);
      return (await store.listOfRun(run)).map((one) => viewPublished(one, addresses));
    },
    listEvents: async (request: Request, name: string): Promise<EventsView> => {
      const site = await findSiteFor(await authenticate(auth, request), name);
      return { events: (await store.listEvents(site.name, MAX_EVENTS)).map(viewEvent) };
    },
    plan: async (request: Request, name: string, body: DeploymentRequest): Promise<PlannedView> => {
      const principal = await authenticate(auth, request);
      const site = parseSiteName(name);
      requireAction(principal, "upload", site);
      if (body.pinned === true) requireAction(principal, "activate", site);
      const { plan } = await planDeployment(publishing, site, body);
      return { dryRun: true, site, plan, missing: plan.missing, warnings: plan.warnings };
    },
    create: async (
      request: Request,
      name: string,
      body: DeploymentRequest,
    ): Promise<CreatedView & { isReplay: boolean }> => {
      const principal = await authenticate(auth, request);
      const site = parseSiteName(name);
      requireAction(principal, "upload", site);
      // Keeping for ever is what pinning is, and asks for the same permission.
      if (body.pinned === true) requireAction(principal, "activate", site);
      const key = readKey(request);
      const publisher = { id: principal.tokenId, label: principal.label };
      const input = { site, request: body, publisher, ...(key === undefined ? {} : { key }) };
      const { deployment, plan, isReplay } = await createDeployment(publishing, input);
      const addresses = addressesOf(ports, request);
      const view = await describe(deployment, addresses);
      const { added, changed, removed, unchanged } = plan;
      return {
        deployment: view,
        siteUrl: addresses.siteUrl(site),
        previewUrl: addresses.previewUrl(deployment.id, site),
        missing: view.missing,
        warnings: plan.warnings,
        plan: { added, changed, removed, unchanged },
        isReplay,
        next: {
          upload: `PUT /api/deployments/${deployment.id}/assets?path=<path>`,
          activate: `POST /api/deployments/${deployment.id}/activate`,
        },
      };
    },
    get: async (request: Request, id: string): Promise<DeploymentView> => {
      const deployment = await findDeploymentFor(await authenticate(auth, request), id);
      return describe(deployment, addressesOf(ports, request));
    },
    /** What putting a deployment live would change, against the live one or the one that is named. */
    changes: async (request: Request, id: string, from: string | undefined): Promise<ChangesView> => {
      const principal = await authenticate(auth, request);
      const deployment = await findDeploymentFor(principal, id);
      const other = from ?? (await store.findSite(deployment.site))?.activeDeploymentId;
      const before = other === undefined ? undefined : await findDeploymentFor(principal, other);
      return { from: before?.id ?? null, to: id, ...planChange(before?.manifest ?? [], deployment.manifest) };
    },
    allowed,
    activate: async (request: Request, id: string): Promise<ActivatedView> => {
      const { principal, deployment } = await allowed(request, id, "activate");
      const expectedActive = readExpectedActive(request.headers);
      const done = await activateDeployment(publishing, deployment, { expectedActive, by: principal.label });
      const addresses = addressesOf(ports, request);
      return {
        deployment: await describe(done.deployment, addresses),
        siteUrl: addresses.siteUrl(deployment.site),
        changed: done.changed,
        ...(done.previous === undefined ? {} : { previous: done.previous }),
      };
    },
    pin: async (request: Request, id: string, pinned: boolean): Promise<Static<typeof PinnedView>> => {
      const { principal, deployment } = await allowed(request, id, "activate");
      const action = pinned ? "pinned" : "unpinned";
      const event = {
        at: now(),
        site: deployment.site,
        deployment: id,
        action,
        by: principal.label,
      } as const;
      await store.setPinned(id, pinned, event);
      return { ok: true, id, pinned };
    },
    deleteDeployment: async (request: Request, id: string): Promise<Static<typeof DeletedView>> => {
      const { principal, deployment } = await allowed(request, id, "delete");
      const { site } = deployment;
      const event = { at: now(), site, deployment: id, action: "deleted", by: principal.label } as const;
      if (!(await store.deleteDeployment(id, event)))
        throw new AppError(
          "conflict",
          `${id} is live; activate another deployment first, or delete the site ${site}`,
        );
      await publishing.refreshSite(site);
      return { ok: true, id };
    },
    deleteSite: async (request: Request, name: string): Promise<Static<typeof DeletedSiteView>> => {
      const principal = await authenticate(auth, request);
      const site = await findSiteFor(principal, name);
      requireAction(principal, "delete", site.name);
      await store.deleteSite(site.name, {
        at: now(),
        site: site.name,
        action: "deleted",
        by: principal.label,
      });
      await publishing.refreshSite(site.name);
      return { ok: true, name: site.name };
    },
    collect: async (request: Request, dryRun: boolean) => {
      requireAction(await authenticate(auth, request), "admin");
      return collect(publishing, { dryRun });
    },
  };
};

export type PublishingApi = ReturnType<typeof createPublishingApi>;
