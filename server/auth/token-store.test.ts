import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { DATABASES } from "../fixtures/test-server.ts";
import { type TestStores, useStores } from "../fixtures/use-stores.ts";
import { ensureAdminToken } from "./admin-token.ts";
import type { MemoryKey } from "./key-store.ts";
import { newSecret, secretDigest, type Token } from "./token.ts";
import type { TokenStore } from "./token-store.ts";

const token = (id: string, more: Partial<Token> = {}): Token => ({
  id,
  label: `label of ${id}`,
  sha256: `digest of ${id}`,
  site: undefined,
  actions: ["upload", "activate"],
  createdAt: 1,
  expiresAt: undefined,
  lastUsedAt: undefined,
  ...more,
});

describe.each(DATABASES)("tokens on %s", (database) => {
  const lab = useStores(database);
  const it = test.skipIf(lab.isMissing);
  let opened: TestStores;
  let tokens: TokenStore;
  beforeEach(async () => {
    if (lab.isMissing) return;
    opened = await lab.open();
    tokens = opened.stores.auth.tokens;
  });

  it("gives tokens back as they were added, the newest first, by digest and by list", async () => {
    const all = [
      token("b", { createdAt: 2, site: "docs", expiresAt: 9 }),
      token("a", { actions: [] }),
      token("c"),
    ];
    for (const each of all) await tokens.add(each);
    expect(await tokens.list()).toEqual(all);
    expect(await tokens.findByDigest("digest of b")).toEqual(all[0]);
    expect(await tokens.findByDigest("digest of d")).toBeUndefined();
  });

  it("a session is its token's until it expires, ends, or the token is removed, on every server", async () => {
    const other = (await opened.another()).auth.tokens;
    await tokens.add(token("a"));
    await tokens.addSession({ sha256: "s1", token: "a", expiresAt: 10 }, 1);
    await tokens.addSession({ sha256: "s2", token: "a", expiresAt: 10 }, 1);
    expect((await other.findBySession("s1", 9))?.id).toBe("a");
    expect(await other.findBySession("s1", 10)).toBeUndefined();
    await other.removeSession("s1");
    expect(await tokens.findBySession("s1", 1)).toBeUndefined();
    expect([await other.remove("a"), await tokens.remove("a")]).toEqual([true, false]);
    expect(await tokens.findBySession("s2", 1)).toBeUndefined();
  });

  it("sessions whose time is over go with the next one that begins", async () => {
    await tokens.add(token("a"));
    await tokens.addSession({ sha256: "old", token: "a", expiresAt: 10 }, 1);
    await tokens.addSession({ sha256: "present", token: "a", expiresAt: 20 }, 9);
    expect((await tokens.findBySession("old", 9))?.id).toBe("a");
    await tokens.addSession({ sha256: "new", token: "a", expiresAt: 30 }, 10);
    // Asked for a time when it was still good: it is not there any more.
    expect(await tokens.findBySession("old", 9)).toBeUndefined();
    expect((await tokens.findBySession("present", 10))?.id).toBe("a");
  });

  it("a server's folder gets an admin token, and one of a shared database only when there is none", async () => {
    const isShared = opened.url !== undefined;
    const [first, second] = [join(opened.home, "first"), join(opened.home, "second")];
    const ensure = (file: string) => ensureAdminToken(file, { tokens, isShared, now: () => 1 });
    expect([await ensure(first), await ensure(first), await ensure(second)]).toEqual([true, true, !isShared]);
    expect(await tokens.list()).toHaveLength(isShared ? 1 : 2);
    const [made] = await tokens.list();
    await tokens.remove(made?.id ?? "");
    expect([await ensure(second), existsSync(second)]).toEqual([true, true]);
  });

  it("remembers the last use", async () => {
    await tokens.add(token("a"));
    await tokens.touch("a", 5);
    expect((await tokens.findByDigest("digest of a"))?.lastUsedAt).toBe(5);
  });

  it("a key of the memory is found by its hash, one for each writer, until it is removed", async () => {
    const { keys } = opened.stores.auth;
    const key = (id: string, writer: string, createdAt: number): MemoryKey => ({
      id,
      writer,
      access: "write",
      scopes: ["a", "b"],
      createdAt,
    });
    await keys.add(key("k2", "ada", 2), "hash-2");
    await keys.add(key("k1", "bob", 1), "hash-1");
    await expect(keys.add(key("k3", "ada", 3), "hash-3")).rejects.toMatchObject({ code: "conflict" });
    expect(await keys.findByHash("hash-2")).toEqual(key("k2", "ada", 2));
    expect(await keys.findByHash("hash-3")).toBeUndefined();
    expect(await keys.list()).toEqual([key("k1", "bob", 1), key("k2", "ada", 2)]);
    expect(await keys.remove("k2")).toBe(true);
    expect(await keys.remove("k2")).toBe(false);
    expect(await keys.findByHash("hash-2")).toBeUndefined();
  });

  it("a token in the server's file that has expired is replaced at the next start", async () => {
    const file = join(opened.home, "admin-token");
    let at = 1;
    const ensure = () => ensureAdminToken(file, { tokens, isShared: false, now: () => at });
    await ensure();
    const secret = newSecret();
    await tokens.add(token("rotated", { sha256: secretDigest(secret), actions: ["admin"], expiresAt: 10 }));
    writeFileSync(file, secret);
    await ensure();
    expect(readFileSync(file, "utf8")).toBe(secret);
    at = 11;
    await ensure();
    const held = await tokens.findByDigest(secretDigest(readFileSync(file, "utf8").trim()));
    expect(held).toMatchObject({ actions: ["admin"], expiresAt: undefined });
  });
});
