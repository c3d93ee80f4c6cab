import type { Socket } from "node:net";
import { errorText } from "../../core/errors.ts";
import { type AllowEntry, entryFor, isAllowed, readHost, type Target } from "./allow-list.ts";
import type { NetworkMode } from "./decide-target.ts";
import { httpAnswer, readHttpHead } from "./http-head.ts";
import { BadIntake, createIntake, type Intake } from "./intake.ts";
import type { Count, createLedger } from "./ledger.ts";
import type { NetworkLimits } from "./limits.ts";
import { type Reached, type ReachPorts, reachTarget } from "./reach-target.ts";
import { readSocksTarget, SOCKS_REPLY, SOCKS_VERSION, socksReply } from "./socks.ts";
import { peekServerName } from "./tls-name.ts";
import { joinSockets } from "./tunnel.ts";

type Setting = {
  ports: ReachPorts;
  rules: { mode: NetworkMode; entries: readonly AllowEntry[]; limits: NetworkLimits };
  ledger: ReturnType<typeof createLedger>;
  /** what to call to have every open connection counted */
  counters: Set<() => void>;
};

type Outcome = Exclude<Reached, { kind: "open" }>;

/** What a client asked for, and how it is told what became of it. */
type Asked = {
  target: Target;
  /** said to the target before anything else */
  head: string;
  granted: string | Uint8Array;
  denied: (outcome: Outcome) => string | Uint8Array;
};

/** Serves one connection from inside, whatever protocol it speaks. Never rejects. */
export const serveClient = async (client: Socket, setting: Setting): Promise<void> => {
  const { ledger, rules } = setting;
  const intake = createIntake(client, { maxBytes: rules.limits.maxHeadBytes });
  try {
    const asked = await readAsked(client, intake, rules.limits.headMs);
    await serveAsked(client, intake, asked, setting);
  } catch (error) {
    if (!(error instanceof BadIntake))
      ledger.note({ host: "(proxy)", port: 0, verdict: "failed", reason: errorText(error) });
    client.destroy();
  }
};

const readAsked = async (client: Socket, intake: Intake, limitMs: number): Promise<Asked> => {
  const late = setTimeout(() => client.destroy(), limitMs);
  try {
    const [first] = await intake.peek(1);
    return first === SOCKS_VERSION ? await readSocks(client, intake) : await readHttp(client, intake);
  } finally {
    clearTimeout(late);
  }
};

const readSocks = async (client: Socket, intake: Intake): Promise<Asked> => ({
  target: await readSocksTarget(intake, (bytes) => client.write(bytes)),
  head: "",
  granted: socksReply(SOCKS_REPLY.granted),
  denied: ({ kind }) => socksReply(kind === "refused" ? SOCKS_REPLY.notAllowed : SOCKS_REPLY.unreachable),
});

const readHttp = async (client: Socket, intake: Intake): Promise<Asked> => {
  try {
    const request = readHttpHead((await intake.takeThrough("\r\n\r\n")).toString("latin1"));
    const { target } = request;
    const isTunnel = request.kind === "tunnel";
    return {
      target,
      head: isTunnel ? "" : request.head,
      granted: isTunnel ? "HTTP/1.1 200 Connection established\r\n\r\n" : "",
      denied: (outcome) => describeDenial(target, outcome),
    };
  } catch (error) {
    if (error instanceof BadIntake && !client.destroyed)
      await sayLast(client, httpAnswer(400, "Bad Request", error.message));
    throw error;
  }
};

const describeDenial = (target: Target, outcome: Outcome): string =>
  outcome.kind === "refused"
    ? httpAnswer(
        403,
        "Refused by the sandbox",
        `this session may not call ${target.host} port ${target.port}: ${outcome.reason}; ${outcome.nextStep}`,
      )
    : httpAnswer(
        502,
        "Bad Gateway",
        `${target.host} port ${target.port} is allowed and was not reached: ${outcome.reason}`,
      );

/** Says one last thing and waits until it is on its way. */
const sayLast = (client: Socket, text: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    client.on("close", () => resolve());
    client.end(text, () => resolve());
    client.resume(); // what else it says is not heard
  });

const serveAsked = async (
  client: Socket,
  intake: Intake,
  asked: Asked,
  { ports, rules, ledger, counters }: Setting,
): Promise<void> => {
  const { target } = asked;
  const reached = await reachTarget(ports, target, rules);
  if (reached.kind !== "open") {
    ledger.note({ ...target, verdict: reached.kind, reason: reached.reason });
    return sayLast(client, asked.denied(reached));
  }
  const upstream = reached.socket;
  if (client.destroyed) return void upstream.destroy();
  follow(upstream, ledger.note({ ...target, verdict: "allowed" }), counters);
  client.write(asked.granted);
  upstream.write(asked.head);
  const isSecretTunnel = asked.head === "" && rules.mode === "allow-list";
  const first = async (): Promise<Uint8Array | undefined> => {
    const asksFor = isSecretTunnel ? await findServerName(intake) : undefined;
    if (asksFor === undefined || mayAskFor(asksFor, target, rules.entries)) return intake.rest();
    const reason = `asked for it through ${entryFor(target)}`;
    ledger.note({ host: asksFor, port: target.port, verdict: "refused", reason });
    return undefined;
  };
  await joinSockets(client, upstream, { idleMs: rules.limits.idleMs, first });
};

/** Keeps the ledger's line of a connection true for as long as it lives. */
const follow = (upstream: Socket, count: Count, counters: Set<() => void>): void => {
  const countNow = (): void => count({ sent: upstream.bytesWritten, received: upstream.bytesRead });
  counters.add(countNow);
  upstream.on("close", () => {
    countNow();
    counters.delete(countNow);
  });
};

/** A client that leaves before it says a word has asked for nothing. */
const findServerName = async (intake: Intake): Promise<string | undefined> => {
  try {
    return await peekServerName(intake);
  } catch (error) {
    if (error instanceof BadIntake) return undefined;
    throw error;
  }
};

/**
 * Many names share one address behind a large host: with a tunnel to an allowed one, TLS could ask there for
 * another. Only the names of the list are let through.
 */
const mayAskFor = (serverName: string, target: Target, entries: readonly AllowEntry[]): boolean => {
  const host = readHost(serverName);
  return host === target.host || (host !== undefined && isAllowed(entries, { host, port: target.port }));
};
