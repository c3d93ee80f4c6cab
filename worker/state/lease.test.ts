import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { uptimeMs } from "../../core/uptime.ts";
import { nestMark } from "../../core/process-tree.ts";
import { waitFor } from "../../test/wait-for.ts";
import { LEASE_LOST, leaseLine, leaseMarks, runMark, jobMark, watchLease } from "./lease.ts";

const watching = (holdsMs: number) => {
  const time = { uptime: 500 };
  const line = new PassThrough();
  const lost: string[] = [];
  let renewals = 0;
  const { close } = watchLease(
    { uptimeMs: () => time.uptime, line, until: time.uptime + holdsMs },
    { onLost: (reason) => lost.push(reason), onRenewed: () => renewals++ },
  );
  return { time, line, lost, close, renewals: () => renewals };
};

test("is lost at once, and once, when the line to the pool ends", async () => {
  const { line, lost } = watching(60_000);
  line.end();
  await waitFor("the end to be noticed", () => lost.length > 0);
  expect(lost).toEqual([LEASE_LOST.poolGone]);
});

test("holds for as long as the pool said last, however its lines are cut, and no longer", async () => {
  const { time, line, lost, close, renewals } = watching(1_000);
  const text = leaseLine(time.uptime + 40_000);
  line.write(text.slice(0, 5));
  line.write(text.slice(5));
  await waitFor("the line to be read", () => renewals() === 1);
  time.uptime += 39_999;
  expect(lost).toEqual([]);
  time.uptime += 3_600_000; // the machine slept
  await waitFor("the lease to be over", () => lost.length > 0);
  expect(lost).toEqual([LEASE_LOST.expired]);
  close();
});

test("reads the renewals that came while the process was busy before it takes the lease for lost", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const pool = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [line] = (await once(server, "connection")) as [Socket];
  const until = uptimeMs() + 300;
  const heard = new Promise<string>((resolve) => {
    const { close } = watchLease(
      { uptimeMs, line, until },
      { onLost: resolve, onRenewed: () => (resolve("renewed"), close()) },
    );
  });
  await new Promise((resolve) => pool.write(leaseLine(until + 3_600_000), resolve));
  while (uptimeMs() < until + 500); // its timer is due, and so is what the pool said
  expect(await heard).toBe("renewed");
  pool.destroy();
  line.destroy();
  server.close();
});

test("goes by no clock of the day, and takes a renewal that was read late for what it was", async () => {
  const { time, line, lost, renewals, close } = watching(10_000);
  line.write(leaseLine(time.uptime + 20_000));
  time.uptime += 60_000; // it was frozen for longer than the line says
  await waitFor("the lease to be over", () => lost.length > 0);
  expect(renewals()).toBe(1);
  expect(lost).toEqual([LEASE_LOST.expired]);
  close();
});

test("marks every process with its task and with its run", () => {
  const lease = { task: 12, token: 7 };
  const marks = leaseMarks({ ...lease, mark: runMark("a1b2", lease) });
  expect(marks.split(":")).toEqual([jobMark("a1b2", 12), runMark("a1b2", lease)]);
  expect(nestMark({ NIGHTSHIFT_SESSION_MARK: marks }, "session").split(":")).toHaveLength(3);
});
