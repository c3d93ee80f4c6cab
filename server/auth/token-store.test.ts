import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { DATABASES } from "../fixtures/test-server.ts";
import { type TestStores, useStores } from "../fixtures/use-stores.ts";
import { ensureAdminToken } from "./admin-token.ts";
import type { Token } from "./token.ts";
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
});
