import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useScratch } from "../test/scratch.ts";
import {
  chooseCredential,
  isLoopback,
  type KnownServer,
  readCredential,
  writeServers,
} from "./credentials.ts";
import { findServerToken, findServerUrl } from "./server-address.ts";

const home = useScratch();
const FAR = "https://night.example.com";

const env = (more: Record<string, string> = {}) => ({ HOME: home.root, ...more });
const know = (server: KnownServer, origin = FAR) => writeServers(env(), { [origin]: server });
const files = () => {
  home.put(".nightshift/admin-token", "admin\n");
  home.put(".memory-api-key", "main-key\n");
};
const tokenFor = (url: string, more: Record<string, string> = {}, file?: string) =>
  readCredential(chooseCredential("token", { url, file, env: env(more) }));

test("the credentials of this machine's server go to loopback, whatever its port", () => {
  files();
  for (const url of ["http://127.0.0.1:4747", "http://localhost:1", "http://[::1]:9", "https://127.8.9.1"]) {
    expect(tokenFor(url)).toBe("admin");
    expect(readCredential(chooseCredential("key", { url, env: env() }))).toBe("main-key");
  }
});

test.each([
  "https://evil.example",
  "http://evil.example",
  "https://localhost.evil.example",
  "https://127.0.0.1.evil.example",
  "https://127.evil.example",
  "https://evil.localhost",
  "http://10.0.0.5:4747",
  "http://[::2]:4747",
])("a server that only a project's file names, %s, gets nothing, from wherever it would be taken", (url) => {
  files();
  expect(isLoopback(url)).toBe(false);
  for (const kind of ["token", "key"] as const) {
    const secret = { NIGHTSHIFT_TOKEN: "t", MEMORY_API_KEY_FILE: join(home.root, ".memory-api-key") };
    for (const file of [undefined, join(home.root, ".memory-api-key")])
      expect(() => chooseCredential(kind, { url, file, env: env(secret) })).toThrow(/nightshift login/);
  }
});

test("other spellings of an address of this machine are what the URL standard makes of them", () => {
  for (const url of ["http://0x7f000001", "http://2130706433", "http://127.1"])
    expect(isLoopback(url)).toBe(true);
});

test("a server that was made known gets what it issued, and no other server gets that", () => {
  files();
  home.put("far.token", "far-token\n");
  know({ tokenFile: join(home.root, "far.token") });
  expect(tokenFor(FAR)).toBe("far-token");
  expect(tokenFor(FAR, { NIGHTSHIFT_TOKEN: "of-another" })).toBe("far-token");
  expect(() => tokenFor("https://other.example.com")).toThrow(/no token is sent to/);
  expect(tokenFor("http://127.0.0.1:4747")).toBe("admin");
});

test("what the environment names goes with what the environment holds, and the files of this machine do not", () => {
  files();
  const named = { NIGHTSHIFT_URL: `${FAR}/`, NIGHTSHIFT_TOKEN: "pair" };
  expect(tokenFor(FAR, named)).toBe("pair");
  expect(tokenFor(FAR, { NIGHTSHIFT_URL: FAR })).toBeUndefined();
  expect(() => findServerToken({ env: env({ NIGHTSHIFT_URL: FAR }) })).toThrow(`no token for ${FAR}`);
});

test("an address and a file typed together are a person's decision; without TLS they are none", () => {
  files();
  home.put("t", "typed");
  const ask = (url: string, isTyped: boolean) =>
    readCredential(chooseCredential("token", { url, isTyped, file: join(home.root, "t"), env: env() }));
  expect(ask(FAR, true)).toBe("typed");
  expect(() => ask(FAR, false)).toThrow(/no token is sent to/);
  expect(() => ask("http://night.example.com", true)).toThrow(/has no TLS/);
  expect(() => chooseCredential("token", { url: FAR, isTyped: true, env: env() })).toThrow(
    /no token is sent to/,
  );
});

test("without TLS only where this user said so", () => {
  files();
  const url = "http://nightshift:4747";
  know({}, url);
  expect(() => tokenFor(url)).toThrow(/--plain-http/);
  know({ plainHttp: true }, url);
  expect(tokenFor(url, { NIGHTSHIFT_TOKEN: "t" })).toBe("t");
});

test("a list that cannot be read is said, and a server that listens everywhere is reached here", () => {
  home.put(".nightshift/servers.json", "{");
  expect(() => tokenFor(FAR)).toThrow(/servers\.json is not JSON/);
  writeFileSync(join(home.root, ".nightshift/servers.json"), "{}");
  expect(findServerUrl({ env: env({ HOST: "0.0.0.0" }) })).toBe("http://127.0.0.1:4747");
  expect(findServerUrl({ env: env({ HOST: "::", PORT: "5" }) })).toBe("http://[::1]:5");
});
