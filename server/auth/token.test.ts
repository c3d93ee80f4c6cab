import { expect, test } from "vitest";
import { isSecret, newSecret, secretDigest } from "./token.ts";
import { readSessionCookie, sessionCookie } from "./session-cookie.ts";

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
  expect(sessionCookie("s", { isSecure: true }, 60)).toBe(
    "__Host-nightshift-session=s; Path=/; HttpOnly; SameSite=Strict; Max-Age=60; Secure",
  );
  expect(sessionCookie("s", { isSecure: false }, 60)).not.toMatch(/Domain|Secure/);
});

test("reads its own cookie among others, and none when there are two", () => {
  const rules = { isSecure: false };
  expect(readSessionCookie("a=b; nightshift-session=x; c=d", rules)).toBe("x");
  expect(readSessionCookie("nightshift-session=x; nightshift-session=y", rules)).toBeUndefined();
  expect(readSessionCookie(null, rules)).toBeUndefined();
});
