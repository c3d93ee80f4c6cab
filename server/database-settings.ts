import type { Fault } from "../core/errors.ts";

/** The shared PostgreSQL that the server keeps its data in, in place of a file of its own. */
export type DatabaseSettings = {
  url: string;
  poolSize: number;
  statementTimeoutMs: number;
  waitMs: number;
};

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_POOL_SIZE = 10;
const DEFAULT_STATEMENT_SECONDS = 15;
const DEFAULT_WAIT_SECONDS = 60;

/** `DATABASE_URL` and what belongs to it. No message repeats the address: it holds a password. */
export const readDatabase = (env: Environment, faults: Fault[]): DatabaseSettings | undefined => {
  const url = env["DATABASE_URL"];
  if (!url) return undefined;
  if (!isDatabaseUrl(url))
    faults.push({
      path: "DATABASE_URL",
      message: "must look like postgres://user:password@host:5432/database",
    });
  return {
    url,
    // Removing a blob holds one connection while another asks whether anybody needs it.
    poolSize: readCount("DATABASE_POOL_SIZE", env, { least: 2, otherwise: DEFAULT_POOL_SIZE, faults }),
    statementTimeoutMs:
      readCount("DATABASE_STATEMENT_SECONDS", env, {
        least: 1,
        otherwise: DEFAULT_STATEMENT_SECONDS,
        faults,
      }) * 1000,
    waitMs:
      readCount("DATABASE_WAIT_SECONDS", env, { least: 0, otherwise: DEFAULT_WAIT_SECONDS, faults }) * 1000,
  };
};

const isDatabaseUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return /^postgres(ql)?:$/.test(protocol) && hostname !== "" && /^\/[^/]+$/.test(pathname);
};

const readCount = (
  name: string,
  env: Environment,
  { least, otherwise, faults }: { least: number; otherwise: number; faults: Fault[] },
): number => {
  const text = env[name];
  if (!text) return otherwise;
  const count = Number(text);
  if (/^\d{1,6}$/.test(text) && count >= least) return count;
  faults.push({ path: name, message: `must be a whole number of at least ${least}, not "${text}"` });
  return otherwise;
};
