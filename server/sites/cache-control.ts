import { extensionOf } from "../publishing/content-type.ts";

const REVALIDATE = "public, max-age=0, must-revalidate";
const IMMUTABLE = "public, max-age=31536000, immutable";

/** Folders into which bundlers put only files named by their content. */
const BUNDLED =
  /(?:^|\/)(?:assets|_astro|_next\/static|_nuxt|_app\/immutable|static\/(?:js|css|media)|chunks)\//;
const HASHED = /[.-]([A-Za-z0-9_-]{8,64})\.[a-z0-9]+(?:\.map)?$/;
const ASSET = new Set(
  "js mjs css map woff woff2 ttf otf png jpg jpeg gif webp avif svg ico wasm mp4 webm mp3".split(" "),
);

const looksLikeHash = (text: string): boolean =>
  /\d/.test(text) &&
  /[A-Za-z]/.test(text) &&
  (/^[0-9a-f]+$/.test(text) || /[A-Z]/.test(text) || text.length >= 16);

/**
 * Whether a path's name changes with its content, as bundlers do it. Deliberately narrow: a file wrongly
 * called immutable stays old in browsers for a year, one wrongly revalidated costs a 304.
 */
export const isImmutablePath = (path: string): boolean => {
  if (!BUNDLED.test(`/${path}`) || !ASSET.has(extensionOf(path))) return false;
  return looksLikeHash(HASHED.exec(path)?.[1]?.split(/[-.]/).at(-1) ?? "");
};

export const cacheControlFor = (path: string): string => (isImmutablePath(path) ? IMMUTABLE : REVALIDATE);
