import { expect, test } from "vitest";
import { isSecret, newSecret, secretDigest } from "./token.ts";
import { newSession, readSession, sessionCookie, sessionDigest } from "./session-cookie.ts";

test("makes secrets of 256 random bits that tell a typo by themselves", () => {
  const secret = newSecret();
  expect(isSecret(secret)).toBe(true);
  expect(newSecret()).not.toBe(secret);
  const [wrong] = [secret.slice(0, 20) + (secret[20] === "A" ? "B" : "A") + secret.slice(21)];
  for (const text of [wrong, "", secret.slice(1), `${secret} `, "nightshift_"])
    expect(isSecret(text ?? "")).toBe(false);
  expect(secretDigest(secret)).toMatch(/^[0-9a-f]{64}$/);
});

test("writes a cookie that reaches no other host, and over https none can plant", () => {
  const session = newSession();
  const id = session.proof.slice(0, 16);
  expect(sessionCookie(session, { isSecure: true }, 60)).toBe(
    `__Host-nightshift-session-${id}=${session.cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=60; Secure`,
  );
  expect(sessionCookie(session, { isSecure: false }, 60)).not.toMatch(/Domain|Secure/);
});

test("reads a session from its two halves, whatever cookies stand beside its own", () => {
  const rules = { isSecure: false };
  const [session, other] = [newSession(), newSession()];
  const own = `nightshift-session-${session.proof.slice(0, 16)}=${session.cookie}`;
  const planted = `nightshift-session=x; nightshift-session-${other.proof.slice(0, 16)}=${other.cookie}`;
  expect(readSession(session.proof, `a=b; ${planted}; ${own}; c=d`, rules)).toEqual(session);
  for (const proof of [null, undefined, "", "x", other.proof, `${session.proof} `])
    expect(readSession(proof, own, rules)).toBeUndefined();
  expect(readSession(session.proof, null, rules)).toBeUndefined();
  expect(new Set([session, other, { ...session, proof: other.proof }].map(sessionDigest)).size).toBe(3);
});
