import { readHost, type Target } from "./allow-list.ts";
import { BadIntake, type Intake } from "./intake.ts";

// RFC 1928
export const SOCKS_VERSION = 5;
const NO_LOGIN = 0;
const NONE_ACCEPTABLE = 0xff;
const CONNECT = 1;
const ADDRESS_LENGTH: Record<number, number> = { 1: 4, 4: 16 };
const DOMAIN = 3;

export const SOCKS_REPLY = {
  granted: 0,
  notAllowed: 2,
  unreachable: 4,
  noSuchCommand: 7,
  noSuchAddressType: 8,
} as const;

export const socksReply = (code: (typeof SOCKS_REPLY)[keyof typeof SOCKS_REPLY]): Buffer =>
  Buffer.from([SOCKS_VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0]);

const describeAddress = (bytes: Buffer): string =>
  bytes.length === 4
    ? bytes.join(".")
    : `[${Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16)).join(":")}]`;

/**
 * Where a SOCKS5 client wants to go.
 * @throws BadIntake for what is not SOCKS5 CONNECT, after the client was told
 */
export const readSocksTarget = async (intake: Intake, reply: (bytes: Buffer) => void): Promise<Target> => {
  const [, methodCount = 0] = await intake.take(2);
  const methods = await intake.take(methodCount);
  reply(Buffer.from([SOCKS_VERSION, methods.includes(NO_LOGIN) ? NO_LOGIN : NONE_ACCEPTABLE]));
  if (!methods.includes(NO_LOGIN)) throw new BadIntake("SOCKS5 with a login");
  const [version, command, , type = 0] = await intake.take(4);
  const length = type === DOMAIN ? (await intake.take(1))[0] : ADDRESS_LENGTH[type];
  if (version !== SOCKS_VERSION || command !== CONNECT || length === undefined) {
    reply(socksReply(length === undefined ? SOCKS_REPLY.noSuchAddressType : SOCKS_REPLY.noSuchCommand));
    throw new BadIntake("not a SOCKS5 CONNECT");
  }
  const address = await intake.take(length);
  const port = (await intake.take(2)).readUInt16BE(0);
  const host = readHost(type === DOMAIN ? address.toString("latin1") : describeAddress(address));
  if (host === undefined || port === 0) {
    reply(socksReply(SOCKS_REPLY.noSuchAddressType));
    throw new BadIntake("SOCKS5 to something that is not a host");
  }
  return { host, port };
};
