import { readHost, readPort, type Target } from "./allow-list.ts";
import { BadIntake } from "./intake.ts";

/** What a client of an HTTP proxy asks for: a tunnel, or one request that is passed on as `head`. */
export type HttpRequest =
  | { kind: "tunnel"; target: Target }
  | { kind: "request"; target: Target; head: string };

const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/;
const FIELD = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*?)[ \t]*$/;
const ABSOLUTE = /^http:\/\/(?:[^/?#]*@)?([^/?#]+)([^#]*)/i;
const OF_THE_PROXY = new Set(["host", "connection", "keep-alive", "upgrade"]);

const readTarget = (authority: string, defaultPort?: number): Target => {
  const [, name = "", digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority) ?? [];
  const host = readHost(name);
  const port = digits ? readPort(digits) : defaultPort;
  if (host === undefined || port === undefined)
    throw new BadIntake(`${JSON.stringify(authority)} is not a host and port`);
  return { host, port };
};

/**
 * The head of a request to a proxy. One that is passed on is rewritten: its `Host` is where it goes (a client
 * cannot name one host in its line and another in its field), and the connection ends with the answer.
 * @throws BadIntake for anything that could be read in two ways
 */
export const readHttpHead = (text: string): HttpRequest => {
  const [line = "", ...fields] = text.replace(/\r\n\r\n$/, "").split("\r\n");
  const [, method = "", uri = ""] = REQUEST_LINE.exec(line) ?? [];
  if (method === "CONNECT") return { kind: "tunnel", target: readTarget(uri) };
  const [, authority, path = ""] = ABSOLUTE.exec(uri) ?? [];
  if (authority === undefined)
    throw new BadIntake("this is a proxy: ask with CONNECT host:port, or with GET http://host/path");
  const target = readTarget(authority, 80);
  const parsed = fields.map((field) => {
    const [, name, value = ""] = FIELD.exec(field) ?? [];
    if (name === undefined || /[\r\n\0]/.test(field)) throw new BadIntake("a header field is malformed");
    return { name, lower: name.toLowerCase(), value };
  });
  const named = parsed
    .filter(({ lower }) => lower === "connection")
    .flatMap(({ value }) => value.toLowerCase().split(","))
    .map((option) => option.trim());
  const upgrade = named.includes("upgrade")
    ? parsed.find(({ lower }) => lower === "upgrade")?.value
    : undefined;
  const kept = parsed.filter(
    ({ lower }) => !OF_THE_PROXY.has(lower) && !lower.startsWith("proxy-") && !named.includes(lower),
  );
  const head = [
    `${method} ${path.startsWith("/") ? path : `/${path}`} HTTP/1.1`,
    `Host: ${authority}`,
    ...kept.map(({ name, value }) => `${name}: ${value}`),
    ...(upgrade === undefined ? ["Connection: close"] : ["Connection: Upgrade", `Upgrade: ${upgrade}`]),
  ];
  return { kind: "request", target, head: `${head.join("\r\n")}\r\n\r\n` };
};

/** An answer of the proxy itself, in words; the reason is in the status line, too, which is all some clients show. */
export const httpAnswer = (status: number, reason: string, text: string): string => {
  const body = `nightshift: ${text}\n`;
  return [
    `HTTP/1.1 ${status} ${reason}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
};
