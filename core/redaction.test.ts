import fc from "fast-check";
import { expect, test } from "vitest";
import { hasSecret, isSecretPath, redactSecrets } from "./redaction.ts";

// Put together at run time, so that no scanner takes this file for a leak.
const secrets: Record<string, string> = {
  anthropic_key: ["sk", "ant", "api03", "a1B2c3D4e5F6g7H8i9J0"].join("-"),
  openai_key: ["sk", "proj", "a1B2c3D4e5F6g7H8i9J0kk"].join("-"),
  github_token: ["ghp", "a1B2c3".repeat(6)].join("_"),
  gitlab_token: ["glpat", "a1B2c3".repeat(4)].join("-"),
  aws_access_key: ["AKIA", "A1B2C3D4E5F6G7H8"].join(""),
  google_api_key: ["AIza", "a".repeat(35)].join(""),
  google_oauth: ["ya29", "a1B2c3D4".repeat(3)].join("."),
  slack_webhook: ["https://hooks.slack.com/services", "T00000000/B00000000/a1B2c3D4"].join("/"),
  pypi_token: ["pypi", "a1B2c3D4".repeat(6)].join("-"),
  huggingface_token: ["hf", "a1B2c3".repeat(6)].join("_"),
  telegram_token: ["123456789", `AA${"a1B".repeat(11)}`].join(":"),
  slack_token: ["xoxb", "1234567890", "abcdefghij"].join("-"),
  stripe_key: ["sk", "live", "a1B2c3D4".repeat(3)].join("_"),
  nightshift_token: ["nightshift", `${"a1B2c".repeat(8)}xyz00000000`].join("_"),
  npm_token: ["npm", "a1B2c3".repeat(6)].join("_"),
  jwt: ["eyJhbGciOiJI", "eyJzdWIiOiIx", "sflKxwRJSM"].join("."),
  private_key: "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
};

test.each(Object.entries(secrets))(
  "replaces a secret shaped like %s and keeps the words around it",
  (name, secret) => {
    expect(redactSecrets(`the key is ${secret} and more`)).toBe(`the key is [REDACTED:${name}] and more`);
  },
);

test("takes the password out of a URI, a header and an assignment, and leaves their names", () => {
  expect(redactSecrets("postgres://app:hunter2@db:5432/x")).toBe(
    "postgres://app:[REDACTED:password]@db:5432/x",
  );
  expect(redactSecrets("Authorization: Bearer abcdef1234567890abcdef")).toBe(
    "Authorization: Bearer [REDACTED:credential]",
  );
  expect(redactSecrets(`AWS_SECRET_ACCESS_KEY="wJalrXUtnFEMIK7MDENGbPxRfiCY"`)).toBe(
    `AWS_SECRET_ACCESS_KEY="[REDACTED:secret]"`,
  );
});

test.each([
  "risk-based-approach-to-testing-everything",
  "commit 9a3c1f0b2d4e5f60718293a4b5c6d7e8f9012345",
  "password: must be at least twelve characters",
  "id 123e4567-e89b-42d3-a456-426614174000",
  "git@github.com:owner/name.git",
  "http://localhost:4747/api/sites",
  "Bearer authentication is required",
  "Basic authentication-required-everywhere",
  "client_secret: 9a3c1f0b2d4e5f60718293a4b5c6d7e8f9012345",
])("leaves %j alone", (text) => {
  expect(redactSecrets(text)).toBe(text);
  expect(hasSecret(text)).toBe(false);
});

test("a secret that stands as a password, or is assigned, keeps the name that says most", () => {
  const token = secrets["github_token"];
  expect(redactSecrets(`https://user:${token}@example.com`)).toBe(
    "https://user:[REDACTED:github_token]@example.com",
  );
  expect(redactSecrets(`api_key = "${token}"`)).toBe('api_key = "[REDACTED:github_token]"');
});

test("changes nothing the second time, whatever the text", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string(),
          fc.constantFrom(...Object.values(secrets)),
          fc.constantFrom(" ", "\n", ":", "="),
        ),
      ),
      (parts) => {
        const once = redactSecrets(parts.join(""));
        expect(redactSecrets(once)).toBe(once);
      },
    ),
  );
});

test("knows files of secrets by their names", () => {
  for (const path of [
    ".env",
    "a/.env.local",
    "deploy/id_rsa",
    "x/server.pem",
    ".npmrc",
    "credentials.json",
    "data/admin-token",
    "home/.memory-api-key",
  ])
    expect(isSecretPath(path), path).toBe(true);
  for (const path of [
    ".env.example",
    ".env.dist",
    "src/key.ts",
    "keyboard.md",
    "environment.ts",
    "id_rsa.pub",
  ])
    expect(isSecretPath(path), path).toBe(false);
});
