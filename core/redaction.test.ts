import fc from "fast-check";
import { expect, test } from "vitest";
import { hasSecret, isSecretPath, redactSecrets } from "./redaction.ts";

// Put together at run time, so that no scanner takes this file for a leak.
const secrets: Record<string, string> = {
  anthropic_key: ["sk", "ant", "api03", "a1B2c3D4e5F6g7H8i9J0"].join("-"),
  openai_key: ["sk", "proj", "a1B2c3D4e5F6g7H8i9J0kk"].join("-"),
  github_token: ["ghp", "a1B2c3".repeat(6)].join("_"),
  gitlab_pat: ["glpat", "a1B2c3".repeat(4)].join("-"),
  aws_access_key: ["AKIA", "A1B2C3D4E5F6G7H8"].join(""),
  gcp_api_key: ["AIza", "a".repeat(35)].join(""),
  google_oauth: ["ya29", "a1B2c3D4".repeat(3)].join("."),
  slack_webhook: ["https://hooks.slack.com/services", "T00000000/B00000000/a1B2c3D4"].join("/"),
  pypi_token: ["pypi", "a1B2c3D4".repeat(6)].join("-"),
  huggingface_token: ["hf", "a1B2c3".repeat(6)].join("_"),
  telegram_bot_token: ["123456789", `AA${"a1B".repeat(11)}`].join(":"),
  slack_token: ["xoxb", "1234567890", "abcdefghij"].join("-"),
  stripe_key: ["sk", "live", "a1B2c3D4".repeat(3)].join("_"),
  nightshift_token: ["nightshift", `${"a1B2c".repeat(8)}xyz00000000`].join("_"),
  npm_token: ["npm", "a1B2c3".repeat(6)].join("_"),
  jwt: ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NSJ9", "sflKxwRJSMeK"].join("."),
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

test.each([
  ["the memory key of this server", `key nsm_${"aB3-_".repeat(9)}`.slice(0, 51)],
  ["a password in the environment of psql", "PGPASSWORD=hunter2 psql -h db"],
  ["a digitless password of an .env file", "DB_PASS=correcthorse"],
  ["a storage account's key", `DefaultEndpointsProtocol=https;AccountKey=${"aB3+/".repeat(17)}a==;x=y`],
  ["SendGrid", ["SG", "aB3".repeat(7) + "a", "aB3".repeat(14) + "a"].join(".")],
  ["DigitalOcean", ["dop", "v1", "0a".repeat(32)].join("_")],
  ["Shopify", ["shpat", "0a".repeat(16)].join("_")],
  ["Vault", ["hvs", "aB3_".repeat(23)].join(".")],
  ["a quoted password with blanks", 'password = "correct horse battery staple"'],
  ["a quoted password in JSON", '{ "db_password": "correct horse battery staple 9" }'],
  ["a password in single quotes", "passwd: 'hunter2 and more'"],
  ["curl's user option", "curl -s https://api.example.com -u admin:hunter2 -o x"],
  ["curl's user option, quoted", `curl --user "admin:correct horse" https://example.com`],
  ["an option of a command line", "mysql --password=hunter2 -u root"],
  ["an option with its value behind a blank", "deploy --db-password hunter2 --yes"],
  ["a private key that is cut off", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\nmore"],
])("takes out %s", (_, text) => {
  const clean = redactSecrets(text);
  expect(clean).toMatch(/\[REDACTED:\w+\]/);
  expect(clean).not.toMatch(/hunter2|correct|aB3aB3|0a0a0a|aB3-_aB3|b3BlbnNz|aB3_aB3|aB3\+\/aB3/);
  expect(hasSecret(text)).toBe(true);
});

test.each([
  "const password = options.password;",
  "password: string;",
  "token = tokens.next()",
  'password: "must be at least twelve characters"',
  "docker run -u 1000:1000 image",
  "PWD=/home/user1/project",
  "# pass 120",
  "pass=120 fail=3",
  "API_KEY=$OPENAI_KEY",
  "password=${DB_PASSWORD}",
  "maxTokens: 123456789012",
  "git push -u origin feature:feature",
])("leaves %j alone, too", (text) => {
  expect(redactSecrets(text)).toBe(text);
});
