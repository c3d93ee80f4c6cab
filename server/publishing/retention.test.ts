import fc from "fast-check";
import { expect, test } from "vitest";
import type { DeploymentStatus } from "./deployment.ts";
import { findExpired } from "./retention.ts";

const rules = { keep: 2, pendingMs: 100 };
const candidate = (id: string, status: DeploymentStatus, at: number, pinned = false) => ({
  id,
  status,
  pinned,
  createdAt: at,
  activatedAt: status === "pending" ? undefined : at,
});

test("keeps the live one, the newest of the past, the pinned, and what waits not too long", () => {
  const deployments = [
    candidate("active", "active", 1),
    candidate("old", "superseded", 2),
    candidate("pinned", "superseded", 3, true),
    candidate("newer", "superseded", 4),
    candidate("newest", "superseded", 5),
    candidate("waiting", "pending", 950),
    candidate("abandoned", "pending", 900),
    candidate("gone", "expired", 1),
  ];
  expect(findExpired(deployments, rules, 1000)).toEqual(["old", "abandoned"]);
});

test("never expires a live or pinned deployment", () => {
  const status = fc.constantFrom<DeploymentStatus>("active", "superseded", "pending", "expired");
  const one = fc.record({ id: fc.uuid(), status, pinned: fc.boolean(), createdAt: fc.nat(2000) });
  fc.assert(
    fc.property(fc.array(one), fc.nat(10), fc.nat(3000), (deployments, keep, now) => {
      const expired = new Set(findExpired(deployments, { keep, pendingMs: 10 }, now));
      for (const { id, status, pinned } of deployments)
        if (status === "active" || pinned) expect(expired).not.toContain(id);
    }),
  );
});
