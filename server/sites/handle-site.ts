import { AppError } from "../../core/errors.ts";
import type { ErrorCode } from "../../core/error-codes.ts";
import type { SitesHandler } from "../http/handler.ts";
import { type HostTarget, readSiteHost } from "./host.ts";
import { plainAnswer } from "../http/plain-answer.ts";
import { type RequestPath, readRequestPath } from "./request-path.ts";
import { findRepeat } from "./repeat-answers.ts";
import { isNavigation, resolveRequest } from "./resolve.ts";
import { sendFile, type SendPorts } from "./send-file.ts";
import type { SiteDirectory } from "./site-directory.ts";
import type { SiteVersion } from "./site-version.ts";

type MaybePromise<T> = T | Promise<T>;

export type SitesPorts = SendPorts & {
  directory: SiteDirectory;
  sitesDomain: string;
  /** names under the sites' domain that are the server's own all the same */
  allowedHosts: readonly string[];
  onError: (error: unknown) => void;
};

const MAX_HOSTS = 2000;
const ALLOW = "GET, HEAD, OPTIONS";

/** The target of a request as it came over the wire: what follows the authority. */
const targetOf = (url: string): string => {
  const scheme = url.indexOf("://");
  const slash = scheme === -1 ? url.indexOf("/") : url.indexOf("/", scheme + 3);
  if (slash !== -1) return url.slice(slash);
  return "/";
};

const navigates = (request: Request, path: string): boolean =>
  isNavigation(path, {
    secFetchDest: request.headers.get("sec-fetch-dest") ?? undefined,
    accept: request.headers.get("accept") ?? undefined,
  });

const refuseMethod = (request: Request): Response =>
  request.method === "OPTIONS"
    ? new Response(null, { status: 204, headers: { allow: ALLOW } })
    : plainAnswer(
        405,
        { title: "Method not allowed", text: `A site answers ${ALLOW}.` },
        { isHtml: false, method: request.method, headers: { allow: ALLOW } },
      );

const nothing = (request: Request, path: string, text: string): Response =>
  plainAnswer(
    404,
    { title: "Not found", text },
    { isHtml: navigates(request, path) && request.headers.has("accept"), method: request.method },
  );

/** An address as a header can carry it; what is encoded already stays as it is. */
const toHeader = (address: string): string => address.replace(/[^\x21-\x7e]+/gu, encodeURIComponent);

/** Of what has no file: asked again each time, because the next deployment may have one. */
const cacheControlOf = ({ isPreview }: SiteVersion): string =>
  isPreview ? "private, no-cache" : "public, max-age=0, must-revalidate";

const redirect = (
  version: SiteVersion,
  { status, location }: { status: number; location: string },
): Response =>
  new Response(null, {
    status,
    headers: {
      location: toHeader(location),
      "content-length": "0",
      "cache-control": cacheControlOf(version),
      "x-content-type-options": "nosniff",
      "x-deployment-id": version.id,
    },
  });

/** A path that is nowhere in the version: a file of an earlier one, the site's own page, or ours. */
const answerMissing = async (
  ports: SitesPorts,
  request: Request,
  version: SiteVersion,
  { asked, notFoundPage }: { asked: RequestPath; notFoundPage: string | undefined },
): Promise<Response> => {
  const requestPath = `/${asked.path}`;
  const older =
    version.isPreview || asked.folder ? undefined : await ports.directory.findOlder(version, asked.path);
  const old = older?.entries.get(asked.path);
  if (older && old)
    return sendFile(ports, request, {
      version: older,
      entry: old,
      status: 200,
      requestPath,
      isSettled: false,
    });
  const page = notFoundPage === undefined ? undefined : version.entries.get(notFoundPage);
  if (page && navigates(request, asked.path))
    return sendFile(ports, request, { version, entry: page, status: 404, requestPath, isSettled: false });
  // Every browser asks for it, of every site: one that has none is no fault to show in its console.
  if (requestPath === "/favicon.ico")
    return new Response(null, { status: 204, headers: { "cache-control": cacheControlOf(version) } });
  return nothing(request, asked.path, "There is no such page on this site.");
};

const answerFrom = (ports: SitesPorts, request: Request, version: SiteVersion): MaybePromise<Response> => {
  const repeated = findRepeat(version, request, ports.bodies);
  if (repeated) return repeated;
  const asked = readRequestPath(targetOf(request.url));
  if (!asked)
    return plainAnswer(
      400,
      { title: "Bad request", text: "The address is malformed." },
      { isHtml: false, method: request.method },
    );
  const { entries, redirects } = version;
  const navigation = redirects.length > 0 && navigates(request, asked.path);
  const found = resolveRequest({ ...asked, navigation }, { has: (path) => entries.has(path), redirects });
  if (found.kind === "redirect") return redirect(version, found);
  if (found.kind === "missing")
    return answerMissing(ports, request, version, { asked, notFoundPage: found.notFoundPage });
  const entry = entries.get(found.path);
  if (!entry) return nothing(request, asked.path, "There is no such page on this site.");
  const { status, isSettled } = found;
  return sendFile(ports, request, { version, entry, status, requestPath: `/${asked.path}`, isSettled });
};

/** Failures that say nothing about the site: the next request may well be answered. */
const PASSING = new Set<ErrorCode>(["unavailable", "storage-full", "interrupted"]);

const recover = (ports: SitesPorts, request: Request, error: unknown): Response => {
  // Of a waiting deployment a file may not be uploaded yet; of a live one it must be there.
  if (error instanceof AppError && error.code === "not-found")
    return nothing(request, "", "This file has not been uploaded yet.");
  const isPassing = error instanceof AppError && PASSING.has(error.code);
  // A database that is away says so itself, in one place.
  if (!isPassing || error.code === "storage-full") ports.onError(error);
  if (isPassing)
    return plainAnswer(
      503,
      { title: "Not now", text: "The server cannot read this page at this moment; try again." },
      {
        isHtml: navigates(request, "") && request.headers.has("accept"),
        method: request.method,
        headers: { "retry-after": String(Number(error.details["retryAfterSeconds"] ?? 1)) },
      },
    );
  return plainAnswer(
    500,
    { title: "Something went wrong", text: "The server could not read this file." },
    { isHtml: false, method: request.method },
  );
};

const guarded = async (ports: SitesPorts, request: Request, work: Promise<Response>): Promise<Response> => {
  try {
    return await work;
  } catch (error) {
    return recover(ports, request, error);
  }
};

/** What one version answers to a request, whatever its host: a deployment's own checks are asked this way. */
export const answerVersion = async (
  ports: SitesPorts,
  request: Request,
  version: SiteVersion,
): Promise<Response> => {
  try {
    return await answerFrom(ports, request, version);
  } catch (error) {
    return recover(ports, request, error);
  }
};

/** Serves published sites by host name, and their previews; every other name is left to the control API. */
export const createSitesHandler = (ports: SitesPorts): SitesHandler => {
  const { directory, sitesDomain, allowedHosts } = ports;
  const answer = (request: Request, version: SiteVersion | undefined): MaybePromise<Response> =>
    version ? answerFrom(ports, request, version) : nothing(request, "", "There is no site here.");

  // A server sees few names and is asked under them all the time; bounded against made-up ones.
  const targets = new Map<string, HostTarget | undefined>();
  const targetFor = (hostname: string): HostTarget | undefined => {
    const known = targets.get(hostname);
    if (known) return known;
    const target = allowedHosts.includes(hostname) ? undefined : readSiteHost(hostname, sitesDomain);
    if (targets.size >= MAX_HOSTS) targets.clear();
    targets.set(hostname, target);
    return target;
  };

  return (request, hostname) => {
    const target = targetFor(hostname);
    if (!target) return undefined;
    if (request.method !== "GET" && request.method !== "HEAD") return refuseMethod(request);
    const version =
      target.kind === "site"
        ? directory.findLive(target.site)
        : directory.findPreview(target.deploymentId, hostname.slice(0, -sitesDomain.length - 1));
    if (version instanceof Promise)
      return guarded(
        ports,
        request,
        version.then((found) => answer(request, found)),
      );
    const response = answer(request, version);
    return response instanceof Promise ? guarded(ports, request, response) : response;
  };
};
