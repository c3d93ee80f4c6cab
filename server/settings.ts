import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { AppError, type Fault } from "../core/errors.ts";
import { readOriginTrialToken } from "../webmcp/origin-trial.ts";
import { type DatabaseSettings, readDatabase } from "./database-settings.ts";

/** Where and how one server runs. */
export type Settings = {
  host: string;
  port: number;
  /** folder of the database, the blobs and the admin token */
  home: string;
  /** a PostgreSQL that servers share, in place of the file in `home` */
  database: DatabaseSettings | undefined;
  /** sites live at `<site>.<sitesDomain>`; `localhost` needs no DNS */
  sitesDomain: string;
  /** how the server is reached from outside (behind a proxy), as in `https://nightshift.example.com` */
  publicUrl: string | undefined;
  allowedHosts: string[];
  logLevel: string;
  memoryKeyFile: string;
  /** whether `/inject` and the other reads need no key on a bind that is not loopback */
  memoryPublicRead: boolean;
  /** how fast one key may write */
  memoryWrites: { burst: number; perMinute: number };
  /** additional aliases, one group a line (docs/memory.md), and a file of more */
  memoryAliases: string;
  memoryAliasesFile: string | undefined;
  /** how many bytes one site and all sites together may keep */
  quota: { siteBytes: number; allBytes: number };
  /** for how many days the runs of workers are kept */
  nightDays: number;
  /** a browser's origin-trial token for the companion's page */
  originTrialToken: string | undefined;
  /** an OpenAI-compatible endpoint that gives a second opinion on what fits */
  embeddings: { url: string; model: string; keyFile: string | undefined } | undefined;
};

export type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = 4747;
const LOG_LEVELS = ["silent", "error", "warn", "info", "debug", "trace"];

/**
 * The settings that the environment asks for.
 * @throws AppError `config` that names every faulty variable at once
 */
export const readSettings = (env: Environment): Settings => {
  const faults: Fault[] = [];
  const publicUrl = readUrl("PUBLIC_URL", env["PUBLIC_URL"], faults);
  const settings: Settings = {
    host: env["HOST"] || "127.0.0.1",
    port: readPort(env["PORT"], faults),
    home: resolve(env["NIGHTSHIFT_HOME"] || join(homedir(), ".nightshift")),
    database: readDatabase(env, faults),
    sitesDomain: (env["SITES_DOMAIN"] || "localhost").toLowerCase(),
    publicUrl: publicUrl?.origin,
    allowedHosts: [...readList(env["ALLOWED_HOSTS"]), ...(publicUrl ? [publicUrl.hostname] : [])],
    logLevel: readOneOf("LOG_LEVEL", env["LOG_LEVEL"] || "info", { allowed: LOG_LEVELS, faults }),
    memoryKeyFile: resolve(env["MEMORY_API_KEY_FILE"] || join(homedir(), ".memory-api-key")),
    memoryPublicRead: readFlag("MEMORY_PUBLIC_READ", env["MEMORY_PUBLIC_READ"], faults),
    memoryWrites: readWrites(env["MEMORY_WRITES_PER_MINUTE"], faults),
    memoryAliases: env["MEMORY_ALIASES"] ?? "",
    memoryAliasesFile: env["MEMORY_ALIASES_FILE"] ? resolve(env["MEMORY_ALIASES_FILE"]) : undefined,
    quota: {
      siteBytes: readMib("SITE_QUOTA_MIB", env["SITE_QUOTA_MIB"], { fallback: 1024, faults }),
      allBytes: readMib("STORAGE_QUOTA_MIB", env["STORAGE_QUOTA_MIB"], { fallback: 20 * 1024, faults }),
    },
    nightDays: readDays(env["NIGHT_DAYS"], faults),
    originTrialToken: readTrialToken(env["WEBMCP_ORIGIN_TRIAL_TOKEN"], faults),
    embeddings: readEmbeddings(env, faults),
  };
  if (faults.length > 0)
    throw new AppError("config", `The server's settings are wrong: ${faults.map(faultText).join("; ")}`, {
      faults,
    });
  return settings;
};

const faultText = ({ path, message }: Fault): string => `${path} ${message}`;

const readMib = (
  name: string,
  text: string | undefined,
  { fallback, faults }: { fallback: number; faults: Fault[] },
): number => {
  if (text && !/^[1-9]\d{0,8}$/.test(text))
    faults.push({ path: name, message: `must be a whole number of MiB above 0, not "${text}"` });
  return Number(text || fallback) * 1024 * 1024;
};

const DEFAULT_NIGHT_DAYS = 90;

const readDays = (text: string | undefined, faults: Fault[]): number => {
  if (text && !/^[1-9]\d{0,3}$/.test(text))
    faults.push({ path: "NIGHT_DAYS", message: `must be a whole number of days above 0, not "${text}"` });
  return Number(text || DEFAULT_NIGHT_DAYS);
};

const readTrialToken = (token: string | undefined, faults: Fault[]): string | undefined => {
  if (!token) return undefined;
  try {
    readOriginTrialToken(token);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    faults.push({ path: "WEBMCP_ORIGIN_TRIAL_TOKEN", message: `cannot be used: ${error.message}` });
  }
  return token;
};

const readPort = (text: string | undefined, faults: Fault[]): number => {
  if (!text) return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  faults.push({ path: "PORT", message: `must be a number from 0 to 65535, not "${text}"` });
  return DEFAULT_PORT;
};

const readUrl = (name: string, text: string | undefined, faults: Fault[]): URL | undefined => {
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  faults.push({ path: name, message: `must be an http or https address, not "${text}"` });
  return undefined;
};

const DEFAULT_WRITES_PER_MINUTE = 6000;

const readWrites = (text: string | undefined, faults: Fault[]): Settings["memoryWrites"] => {
  const perMinute = text ? Number(text) : DEFAULT_WRITES_PER_MINUTE;
  if (!Number.isInteger(perMinute) || perMinute < 1)
    faults.push({
      path: "MEMORY_WRITES_PER_MINUTE",
      message: `must be a whole number above 0, not "${text}"`,
    });
  return { burst: perMinute, perMinute };
};

const readList = (text: string | undefined): string[] =>
  (text ?? "")
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "");

const readOneOf = (
  name: string,
  value: string,
  { allowed, faults }: { allowed: readonly string[]; faults: Fault[] },
): string => {
  if (!allowed.includes(value))
    faults.push({ path: name, message: `must be one of ${allowed.join(", ")}, not "${value}"` });
  return value;
};

const readFlag = (name: string, value: string | undefined, faults: Fault[]): boolean =>
  readOneOf(name, value || "false", { allowed: ["true", "false"], faults }) === "true";

const readEmbeddings = (env: Environment, faults: Fault[]): Settings["embeddings"] => {
  const url = env["EMBEDDINGS_URL"];
  if (!url) return undefined;
  if (!URL.canParse(url)) faults.push({ path: "EMBEDDINGS_URL", message: `is not a URL: "${url}"` });
  const model = env["EMBEDDINGS_MODEL"];
  if (!model) faults.push({ path: "EMBEDDINGS_MODEL", message: "must name the model of EMBEDDINGS_URL" });
  const keyFile = env["EMBEDDINGS_KEY_FILE"];
  return { url, model: model ?? "", keyFile: keyFile ? resolve(keyFile) : undefined };
};
