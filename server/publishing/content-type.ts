const TEXT = "; charset=utf-8";

const TYPES: Record<string, string> = {
  html: `text/html${TEXT}`,
  htm: `text/html${TEXT}`,
  xhtml: "application/xhtml+xml",
  css: `text/css${TEXT}`,
  js: `text/javascript${TEXT}`,
  mjs: `text/javascript${TEXT}`,
  cjs: `text/javascript${TEXT}`,
  json: "application/json",
  map: "application/json",
  jsonld: "application/ld+json",
  geojson: "application/geo+json",
  ndjson: "application/x-ndjson",
  jsonl: "application/x-ndjson",
  webmanifest: "application/manifest+json",
  xml: "application/xml",
  rss: "application/rss+xml",
  atom: "application/atom+xml",
  svg: "image/svg+xml",
  txt: `text/plain${TEXT}`,
  log: `text/plain${TEXT}`,
  md: `text/markdown${TEXT}`,
  csv: `text/csv${TEXT}`,
  tsv: `text/tab-separated-values${TEXT}`,
  vtt: `text/vtt${TEXT}`,
  ics: `text/calendar${TEXT}`,
  yaml: `application/yaml`,
  yml: `application/yaml`,
  toml: "application/toml",
  wasm: "application/wasm",
  pdf: "application/pdf",
  zip: "application/zip",
  gz: "application/gzip",
  tgz: "application/gzip",
  br: "application/x-brotli",
  zst: "application/zstd",
  tar: "application/x-tar",
  epub: "application/epub+zip",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  jxl: "image/jxl",
  ico: "image/x-icon",
  bmp: "image/bmp",
  tif: "image/tiff",
  tiff: "image/tiff",
  woff: "font/woff",
  woff2: "font/woff2",
  ttf: "font/ttf",
  otf: "font/otf",
  mp4: "video/mp4",
  m4v: "video/mp4",
  webm: "video/webm",
  mov: "video/quicktime",
  ogv: "video/ogg",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  wav: "audio/wav",
  flac: "audio/flac",
  glb: "model/gltf-binary",
  gltf: "model/gltf+json",
};

const UNKNOWN = "application/octet-stream";
const essence = (type: string): string => (type.split(";")[0] ?? "").trim().toLowerCase();
const ALLOWED = new Map(Object.values(TYPES).map((type) => [essence(type), type]));

/** Extension of a path's last segment, lowercase, without the dot; empty when there is none. */
export const extensionOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 1 ? "" : name.slice(dot + 1).toLowerCase();
};

/**
 * The type an asset is served with. The extension decides; the publisher's word counts only for an
 * extension we do not know, and only when it is a type we know (so it is never a free-form header value).
 */
export const contentTypeOf = (path: string, claimed?: string): string =>
  TYPES[extensionOf(path)] ?? (claimed === undefined ? undefined : ALLOWED.get(essence(claimed))) ?? UNKNOWN;

/** Whether a text is shaped like a media type at all. */
export const isContentType = (text: string): boolean =>
  text.length <= 200 && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/.test(text);

const COMPRESSIBLE =
  /^(?:text\/|image\/(?:svg\+xml|bmp|x-icon)|font\/[ot]tf|model\/gltf|application\/(?:json|manifest\+json|ld\+json|geo\+json|x-ndjson|xml|[a-z]+\+xml|wasm|yaml|toml))/;

/** Whether br and gzip make files of this type smaller (already packed formats only grow). */
export const isCompressible = (type: string): boolean => COMPRESSIBLE.test(type);

export const isHtml = (type: string): boolean => /^(?:text\/html|application\/xhtml\+xml)/.test(type);
