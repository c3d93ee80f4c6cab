import { createHash } from "node:crypto";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { describeServers } from "../fixtures/describe-servers.ts";
import { type Answer } from "../fixtures/http-client.ts";
import { BIG, FILES, PAGE } from "./fixtures/site-files.ts";

describeServers("serving by the book of HTTP", (lab) => {
  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    lab.admin.visit("web", path, { headers, method });
  const etagOf = (answer: Answer) => String(answer.headers["etag"]);

  beforeAll(async () => {
    await lab.admin.publish("web", FILES);
  });

  test("lets browsers keep files named by their content for ever, and makes them ask for all others", async () => {
    expect((await get("/assets/app-B3xk9QzL.js")).headers["cache-control"]).toBe(
      "public, max-age=31536000, immutable",
    );
    expect((await get("/assets/plain.js")).headers["cache-control"]).toBe(
      "public, max-age=0, must-revalidate",
    );
    expect((await get("/")).headers["cache-control"]).toBe("public, max-age=0, must-revalidate");
  });

  test("answers HEAD as GET, without the body", async () => {
    for (const path of ["/", "/blob.bin", "/big.bin", "/nothing", "/docs"]) {
      const [head, full] = [await get(path, {}, "HEAD"), await get(path)];
      expect(head.body).toHaveLength(0);
      expect(head.status).toBe(full.status);
      for (const name of ["content-length", "content-type", "etag", "vary", "location", "cache-control"])
        expect([path, name, head.headers[name]]).toEqual([path, name, full.headers[name]]);
    }
  });

  test("answers other methods with 405 and what is allowed", async () => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      const answer = await get("/", {}, method);
      expect([answer.status, answer.headers["allow"]]).toEqual([405, "GET, HEAD, OPTIONS"]);
    }
    const options = await get("/", {}, "OPTIONS");
    expect([options.status, options.headers["allow"]]).toEqual([204, "GET, HEAD, OPTIONS"]);
  });

  test("a page that was asked for before it was packed is packed as soon as it can be", async () => {
    const page = `<!doctype html>${`<p>not packed yet on ${lab.name}</p>`.repeat(2000)}`;
    const publishing = lab.admin.publish("fresh", { "index.html": page });
    const ask = async () =>
      (await lab.admin.visit("fresh", "/", { headers: { "accept-encoding": "br" } })).headers[
        "content-encoding"
      ];
    while ((await lab.admin.visit("fresh", "/")).status !== 200);
    await ask();
    await publishing;
    await expect.poll(ask).toBe("br");
  });

  test("packs pages once and names each form by its own tag", async () => {
    await expect
      .poll(async () => (await get("/", { "accept-encoding": "gzip" }, "HEAD")).headers["content-encoding"])
      .toBe("gzip");
    const [br, gzip, plain] = [
      await get("/", { "accept-encoding": "gzip, deflate, br, zstd" }),
      await get("/", { "accept-encoding": "gzip" }),
      await get("/", { "accept-encoding": "br;q=0, gzip;q=0" }),
    ];
    expect(brotliDecompressSync(br.body).toString()).toBe(PAGE);
    expect(gunzipSync(gzip.body).toString()).toBe(PAGE);
    expect(plain.text).toBe(PAGE);
    expect(new Set([br, gzip, plain].map(etagOf)).size).toBe(3);
    for (const answer of [br, gzip, plain]) expect(answer.headers["vary"]).toBe("Accept-Encoding");
    const cached = await get("/", { "accept-encoding": "br", "if-none-match": etagOf(br) });
    expect([cached.status, cached.headers["etag"], cached.headers["vary"]]).toEqual([
      304,
      etagOf(br),
      "Accept-Encoding",
    ]);
    expect((await get("/", { "accept-encoding": "br", "if-none-match": etagOf(gzip) })).status).toBe(200);
    expect((await get("/blob.bin", { "accept-encoding": "br" })).headers["vary"]).toBeUndefined();
  });

  test("follows preconditions by the book", async () => {
    const { headers } = await get("/blob.bin");
    const [etag, modified] = [String(headers["etag"]), String(headers["last-modified"])];
    const long = new Date(Date.parse(modified) - 60_000).toUTCString();
    const cases: [Record<string, string>, number][] = [
      [{ "if-none-match": etag }, 304],
      [{ "if-none-match": `"x", W/${etag}` }, 304],
      [{ "if-none-match": "*" }, 304],
      [{ "if-none-match": `"x"` }, 200],
      [{ "if-none-match": `"x"`, "if-modified-since": modified }, 200],
      [{ "if-modified-since": modified }, 304],
      [{ "if-modified-since": long }, 200],
      [{ "if-modified-since": "not a date" }, 200],
      [{ "if-match": etag }, 200],
      [{ "if-match": `W/${etag}` }, 412],
      [{ "if-match": `"x"` }, 412],
      [{ "if-match": "*" }, 200],
      [{ "if-unmodified-since": long }, 412],
      [{ "if-unmodified-since": modified }, 200],
      [{ "if-match": `"x"`, "if-none-match": etag }, 412],
    ];
    for (const [sent, status] of cases)
      expect([sent, (await get("/blob.bin", sent)).status]).toEqual([sent, status]);
    const unchanged = await get("/blob.bin", { "if-none-match": etag });
    expect(unchanged.body).toHaveLength(0);
    for (const name of ["etag", "cache-control", "date"]) expect(unchanged.headers[name]).toBeDefined();
  });

  test("sends parts of a file, and the whole when the part is of another version", async () => {
    const { headers } = await get("/blob.bin");
    const etag = String(headers["etag"]);
    const part = async (range: string, more: Record<string, string> = {}, path = "/blob.bin") => {
      const answer = await get(path, { range, ...more });
      return [answer.status, answer.headers["content-range"], answer.text];
    };
    expect(await part("bytes=2-4")).toEqual([206, "bytes 2-4/10", "234"]);
    expect(await part("bytes=7-")).toEqual([206, "bytes 7-9/10", "789"]);
    expect(await part("bytes=-3")).toEqual([206, "bytes 7-9/10", "789"]);
    expect(await part("bytes=0-99")).toEqual([206, "bytes 0-9/10", "0123456789"]);
    expect(await part("bytes=10-")).toEqual([416, "bytes */10", ""]);
    expect(await part("bytes=-0")).toEqual([416, "bytes */10", ""]);
    for (const whole of ["bytes=4-2", "bytes=a-b", "lines=1-2", "bytes=0-1,4-5", "bytes=-"])
      expect(await part(whole)).toEqual([200, undefined, "0123456789"]);
    expect(await part("bytes=2-4", { "if-range": etag })).toEqual([206, "bytes 2-4/10", "234"]);
    expect(await part("bytes=2-4", { "if-range": `W/${etag}` })).toEqual([200, undefined, "0123456789"]);
    expect(await part("bytes=2-4", { "if-range": '"x"' })).toEqual([200, undefined, "0123456789"]);
    const page = await get("/", { range: "bytes=0-8", "accept-encoding": "br" });
    expect([page.status, page.text, page.headers["content-encoding"]]).toEqual([206, "<!doctype", undefined]);
  });

  test("streams a large file, whole and in parts, to the byte", async () => {
    const whole = await get("/big.bin");
    expect(createHash("sha256").update(whole.body).digest("hex")).toBe(
      createHash("sha256").update(BIG).digest("hex"),
    );
    expect(whole.headers["content-length"]).toBe(String(BIG.length));
    const part = await get("/big.bin", { range: "bytes=1000000-2999999" });
    expect([part.status, part.body.equals(BIG.subarray(1_000_000, 3_000_000))]).toEqual([206, true]);
  });
});
