import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { systemCode } from "../core/errors.ts";

/** Below what systems hand out themselves: no outgoing connection and no other server takes one of these in the meantime. */
const FIRST = 15_000;
const END = 30_000;

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if (systemCode(error) === "EADDRINUSE") return false;
    throw error;
  }
  server.close();
  await once(server, "close");
  return true;
};

/** A port of loopback that nobody listens on now: for programs that cannot be told to take any, or that keep theirs. */
export const findFreePort = async (): Promise<number> => {
  const port = randomInt(FIRST, END);
  return (await isFree(port)) ? port : findFreePort();
};
