// Runs inside of a sandbox: lets whoever started it reach the ports that are opened in there. `node offer.js <socket>`
// keeps one connection to the socket waiting; a port's number that comes over it makes it the connection to that
// port, and the next one is made. Nobody inside can call out with it: what is at the other end only asks.
import { connect, type Socket } from "node:net";

const [socketPath = ""] = process.argv.slice(2);

const join = (one: Socket, other: Socket): void => {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.end());
    from.pipe(to);
  }
};

const wait = (): void => {
  const outside = connect({ path: socketPath });
  outside.on("error", () => outside.destroy());
  let said = Buffer.alloc(0);
  const read = (chunk: Buffer): void => {
    said = Buffer.concat([said, chunk]);
    const end = said.indexOf("\n");
    if (end < 0) return;
    outside.off("data", read).pause();
    // What was meant for the port may have come along with its number.
    outside.unshift(said.subarray(end + 1));
    join(outside, connect({ host: "127.0.0.1", port: Number(said.toString("latin1", 0, end)) }));
    wait();
  };
  outside.on("data", read);
};

wait();
