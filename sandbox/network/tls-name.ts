import type { Intake } from "./intake.ts";

const HANDSHAKE = 0x16;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const MAX_HELLO_BYTES = 16 * 1024;

/** Reads numbers and slices one after the other; undefined once the bytes are used up. */
const cursorOf = (bytes: Buffer) => {
  let at = 0;
  const number = (size: 1 | 2 | 3): number => {
    const value = at + size <= bytes.length ? bytes.readUIntBE(at, size) : 0;
    at += size;
    return value;
  };
  const slice = (size: number): Buffer => {
    at += size;
    return bytes.subarray(at - size, at);
  };
  return { number, slice, isOver: () => at >= bytes.length };
};

/** The server name that a ClientHello asks for (RFC 6066), in lower case. */
export const readServerName = (hello: Buffer): string | undefined => {
  const body = cursorOf(hello);
  if (body.number(1) !== CLIENT_HELLO) return undefined;
  body.slice(3 + 2 + 32); // length, version, random
  body.slice(body.number(1)); // session
  body.slice(body.number(2)); // ciphers
  body.slice(body.number(1)); // compression
  const extensions = cursorOf(body.slice(body.number(2)));
  while (!extensions.isOver()) {
    const type = extensions.number(2);
    const content = cursorOf(extensions.slice(extensions.number(2)));
    if (type !== SERVER_NAME) continue;
    content.slice(2 + 1); // length of the list, kind of name
    return content.slice(content.number(2)).toString("latin1").toLowerCase();
  }
  return undefined;
};

/**
 * The server name that a client asks for when it starts TLS; undefined when it speaks something else or names
 * none. Nothing is taken: what was read goes through the tunnel as it came.
 */
export const peekServerName = async (intake: Intake): Promise<string | undefined> => {
  if ((await intake.peek(1))[0] !== HANDSHAKE) return undefined;
  let hello: Buffer = Buffer.alloc(0);
  let at = 0;
  // A hello may come in several records.
  for (;;) {
    const head = (await intake.peek(at + 5)).subarray(at);
    const end = at + 5 + head.readUInt16BE(3);
    if (head[0] !== HANDSHAKE || end > MAX_HELLO_BYTES) return undefined;
    hello = Buffer.concat([hello, (await intake.peek(end)).subarray(at + 5)]);
    at = end;
    if (hello.length >= 4 && hello.length >= 4 + hello.readUIntBE(1, 3)) return readServerName(hello);
  }
};
