import { decode } from "../publishing/url-pattern.ts";
import { extensionOf } from "../publishing/content-type.ts";
import { findRedirect, type RedirectRule } from "../publishing/redirects-file.ts";
import type { RequestPath } from "./request-path.ts";

/**
 * What a request gets: a file of the manifest, another address, or nothing here. `isSettled` files are what
 * this address always gives; others depend on what the request is for.
 */
export type Resolution =
  | { kind: "file"; path: string; status: 200 | 404; isSettled: boolean }
  | { kind: "redirect"; location: string; status: 301 | 302 | 303 | 307 | 308 }
  | { kind: "missing"; path: string; notFoundPage: string | undefined };

export type ResolveSite = { has: (path: string) => boolean; redirects: readonly RedirectRule[] };

/** `navigation` is true when a person goes there (a browser's address bar or link), not a page loading a part. */
export type ResolveRequest = RequestPath & { navigation: boolean };

const encodePath = (path: string): string =>
  path
    .split("/")
    .map((segment) =>
      encodeURIComponent(segment).replace(/%(?:40|3A|24|2C|2B|3D|26|3B)/gi, decodeURIComponent),
    )
    .join("/");

const withQuery = (location: string, query: string): string =>
  query === "" || location.includes("?") ? location : `${location}?${query}`;

/** Clean URLs: `/a` is a, a.html or (moved to) /a/; `/a/` is a/index.html or (moved to) /a. */
const findFile = (
  { path, folder, query }: RequestPath,
  has: ResolveSite["has"],
): Extract<Resolution, { kind: "file" | "redirect" }> | undefined => {
  const file = (found: string) => ({ kind: "file", path: found, status: 200, isSettled: true }) as const;
  const move = (to: string) => ({ kind: "redirect", location: withQuery(to, query), status: 308 }) as const;
  const index = path === "" ? "index.html" : `${path}/index.html`;
  if (folder) {
    if (has(index)) return file(index);
    if (has(path) || has(`${path}.html`)) return move(`/${encodePath(path)}`);
    return undefined;
  }
  if (has(path)) return file(path);
  if (has(`${path}.html`)) return file(`${path}.html`);
  return has(index) ? move(`/${encodePath(path)}/`) : undefined;
};

/** The nearest 404.html, from the path's own folder up to the top. */
const findNotFoundPage = (path: string, has: ResolveSite["has"]): string | undefined => {
  for (let folder = path; folder !== "";) {
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
    const page = folder === "" ? "404.html" : `${folder}/404.html`;
    if (has(page)) return page;
  }
  return has("404.html") ? "404.html" : undefined;
};

/**
 * Whether a missing path may be answered with a page: only when a person navigates there. A script, style
 * or image that is gone must fail as such and never arrive as HTML with status 200.
 */
const mayFallBack = (request: ResolveRequest, target: string): boolean =>
  request.navigation || extensionOf(target) !== "html";

const targetPath = (to: string): RequestPath => {
  const [raw = "/", query = ""] = to.split("?", 2);
  const path = decode(raw.split("#")[0] ?? "/").replace(/^\//, "");
  return { path: path.replace(/\/$/, ""), folder: path === "" || path.endsWith("/"), query };
};

/** Applies the first matching rule; undefined when none does or its target is not in the site. */
const applyRule = (
  request: ResolveRequest,
  site: ResolveSite,
  forced: boolean,
): Extract<Resolution, { kind: "file" | "redirect" }> | undefined => {
  if (site.redirects.length === 0) return undefined;
  const at = `/${request.path}${request.folder && request.path !== "" ? "/" : ""}`;
  const query = new URLSearchParams(request.query);
  // Rules are written with and without the slash at the end; a request matches either way.
  const bare = request.folder && request.path !== "" ? `/${request.path}` : `${at}/`;
  const rule =
    findRedirect(site.redirects, at, { query, forced }) ??
    findRedirect(site.redirects, bare, { query, forced });
  if (!rule) return undefined;
  if (rule.status !== 200 && rule.status !== 404)
    return { kind: "redirect", location: withQuery(rule.to, request.query), status: rule.status };
  const found = findFile(targetPath(rule.to), site.has);
  if (found?.kind !== "file") return undefined;
  if (rule.status === 200 && !mayFallBack(request, found.path)) return undefined;
  return { kind: "file", path: found.path, status: rule.status, isSettled: false };
};

/** Decides what a request gets. Forced rules come first, then files, then the other rules. */
export const resolveRequest = (request: ResolveRequest, site: ResolveSite): Resolution => {
  const answer =
    applyRule(request, site, true) ?? findFile(request, site.has) ?? applyRule(request, site, false);
  if (answer) return answer;
  return { kind: "missing", path: request.path, notFoundPage: findNotFoundPage(request.path, site.has) };
};

/** Whether a request is a navigation, by what the browser says, else by what it accepts and asks for. */
export const isNavigation = (
  path: string,
  { secFetchDest, accept }: { secFetchDest: string | undefined; accept: string | undefined },
): boolean => {
  if (secFetchDest !== undefined) return /^(?:document|iframe|frame|embed|object)$/.test(secFetchDest);
  const extension = extensionOf(path);
  if (extension !== "" && extension !== "html" && extension !== "htm" && /[a-z]/.test(extension))
    return false;
  return accept === undefined || /text\/html|\*\/\*/.test(accept);
};
