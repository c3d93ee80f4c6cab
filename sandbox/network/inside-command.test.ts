import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runChild } from "../../core/child-process.ts";
import { PUBLIC, startGreeter, startProxy, startTlsWeb, startWeb } from "./fixtures/internet.ts";
import { commandWithNetwork, proxyEnvironment } from "./inside-command.ts";

const hasBubblewrap = existsSync("/usr/bin/bwrap");

const scratch = (): string => {
  const dir = mkdtempSync(join(tmpdir(), "inside-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

const git = async (dir: string, ...args: string[]): Promise<void> => {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
  const result = await runChild({ command: "git", args: [...identity, ...args], cwd: dir, env: process.env });
  if (!result.isOk) throw new Error(result.stderr);
};

/** Runs a command in a real network namespace whose only way out is the proxy. */
const inside = async (
  proxy: { socketPath: string },
  allow: readonly string[],
  [command = "", ...args]: string[],
  env: Record<string, string> = {},
  runtime = process.execPath,
) => {
  const dir = scratch();
  const start = commandWithNetwork({ command, args, socketPath: proxy.socketPath, allow, runtime });
  const mounts = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", dir, dir];
  const sandbox = [...mounts, "--unshare-net", "--unshare-pid", "--die-with-parent", "--chdir", dir];
  const home = { HOME: dir, PATH: process.env["PATH"] ?? "", npm_config_cache: join(dir, "cache") };
  return runChild({
    command: "bwrap",
    args: [...sandbox, "--", start.command, ...start.args],
    cwd: dir,
    env: { ...home, ...proxyEnvironment(), ...env },
    timeoutMs: 50_000,
  });
};

const TLS_ALLOWED = { "good.example": PUBLIC, "evil.example": PUBLIC };

test.runIf(hasBubblewrap)("curl reaches an allowed host by every protocol, and no other", async () => {
  const [web, tls] = [await startWeb(), await startTlsWeb()];
  const allow = ["good.example"];
  const proxy = await startProxy({ names: TLS_ALLOWED, ports: { 80: web, 443: tls }, allow });
  const curl = (...args: string[]) => inside(proxy, allow, ["curl", "-sk", "-w", "%{http_code}", ...args]);
  expect((await curl("http://good.example/a")).stdout).toBe("GET good.example/a200");
  expect((await curl("https://good.example/b")).stdout).toBe("GET good.example/b200");
  const socks = ["--noproxy", "", "-x", "socks5h://127.0.0.1:3128"];
  expect((await curl(...socks, "https://good.example/c")).stdout).toBe("GET good.example/c200");
  const refused = await curl("http://evil.example/");
  expect(refused.stdout).toMatch(/may not call evil\.example port 80: .*"evil\.example".*403$/s);
  expect((await curl("https://evil.example/")).isOk).toBe(false);
  // Past the proxy there is nothing: no route, no name server, no port of the host's loopback.
  const direct = await curl("--noproxy", "*", "-m", "5", `http://${PUBLIC}/`, `http://127.0.0.1:${web}/`);
  expect(direct.stdout).toBe("000000");
  expect(proxy.ledger()).toMatchObject([
    { host: "evil.example", port: 80, verdict: "refused", times: 1 },
    { host: "evil.example", port: 443, verdict: "refused", times: 1 },
    { host: "good.example", port: 443, verdict: "allowed", times: 2 },
    { host: "good.example", port: 80, verdict: "allowed", times: 1 },
  ]);
});

test.runIf(hasBubblewrap)("what a runtime warns of does not keep the way out from opening", async () => {
  const allow = ["good.example"];
  const proxy = await startProxy({ names: TLS_ALLOWED, ports: { 80: await startWeb() }, allow });
  const runtime = join(scratch(), "node");
  // Node 22 says that its proxy support is experimental; a user's NODE_OPTIONS may be for other programs.
  const script = `#!/bin/sh\necho "(node:4) Warning: be careful" >&2\nexec "${process.execPath}" "$@"\n`;
  writeFileSync(runtime, script, { mode: 0o755 });
  const env = { NODE_OPTIONS: "--require /not/there.js" };
  const asked = await inside(proxy, allow, ["curl", "-s", "http://good.example/"], env, runtime);
  expect(asked).toMatchObject({ isOk: true, stdout: "GET good.example/" });
});

test.runIf(hasBubblewrap)("TLS to another name through an allowed host's tunnel is cut off", async () => {
  const allow = ["good.example"];
  const proxy = await startProxy({ names: TLS_ALLOWED, ports: { 443: await startTlsWeb() }, allow });
  const fronted = ["--connect-to", "evil.example:443:good.example:443", "https://evil.example/"];
  expect((await inside(proxy, allow, ["curl", "-sk", ...fronted])).isOk).toBe(false);
  expect(proxy.ledger()[0]).toMatchObject({
    host: "evil.example",
    verdict: "refused",
    reason: "asked for it through good.example",
  });
});

test.runIf(hasBubblewrap)(
  "a loopback port of the host that the list names is there inside, too",
  async () => {
    const [web, other] = [await startWeb(({ body }) => `got ${body}`), await startWeb()];
    const allow = [`127.0.0.1:${web}`];
    const proxy = await startProxy({ allow });
    const post = `fetch("http://127.0.0.1:${web}/learn",{method:"POST",body:"x"}).then(r=>r.text()).then(console.log)`;
    expect((await inside(proxy, allow, ["node", "-e", post])).stdout).toBe("got x\n");
    expect((await inside(proxy, allow, ["curl", "-s", `http://127.0.0.1:${other}/`])).isOk).toBe(false);
  },
);

test.runIf(hasBubblewrap)("git clones over https", async () => {
  const origin = scratch();
  await git(origin, "init", "-q", "-b", "main");
  writeFileSync(join(origin, "a.txt"), "a\n");
  await git(origin, "add", ".");
  await git(origin, "commit", "-qm", "one");
  await git(origin, "repack", "-adq");
  await git(origin, "update-server-info");
  const tls = await startTlsWeb(({ url }) => {
    const file = join(origin, ".git", url.replace(/^\/r\.git\//, "").replace(/\?.*/, ""));
    return existsSync(file) ? readFileSync(file) : "";
  });
  const allow = ["good.example"];
  const proxy = await startProxy({ names: TLS_ALLOWED, ports: { 443: tls }, allow });
  const config = { GIT_SSL_NO_VERIFY: "1", GIT_CONFIG_NOSYSTEM: "1" };
  const clone = (host: string) =>
    inside(proxy, allow, ["git", "clone", "-q", `https://${host}/r.git`, "copy"], config);
  expect(await clone("good.example")).toMatchObject({ isOk: true });
  expect((await clone("evil.example")).stderr).toContain("403");
});

test.runIf(hasBubblewrap)("npm installs from an allowed registry", async () => {
  const folder = scratch();
  mkdirSync(join(folder, "package"));
  writeFileSync(join(folder, "package", "package.json"), '{"name":"tiny","version":"1.0.0"}');
  const pack = ["-czf", "tiny.tgz", "package"];
  await runChild({ command: "tar", args: pack, cwd: folder, env: process.env });
  const tls = await startTlsWeb(({ url }) =>
    url.endsWith(".tgz")
      ? readFileSync(join(folder, "tiny.tgz"))
      : JSON.stringify({
          name: "tiny",
          "dist-tags": { latest: "1.0.0" },
          versions: {
            "1.0.0": {
              name: "tiny",
              version: "1.0.0",
              dist: { tarball: "https://good.example/tiny.tgz" },
            },
          },
        }),
  );
  const allow = ["good.example"];
  const proxy = await startProxy({ names: TLS_ALLOWED, ports: { 443: tls }, allow });
  const result = await inside(
    proxy,
    allow,
    ["sh", "-c", "npm install --registry https://good.example/ tiny && ls node_modules"],
    { npm_config_strict_ssl: "false", npm_config_update_notifier: "false", npm_config_audit: "false" },
  );
  expect(result.stdout).toContain("tiny");
  expect(proxy.ledger()).toMatchObject([{ host: "good.example", verdict: "allowed" }]);
});

test.runIf(hasBubblewrap)("the command's input, outputs, exit code and signal are its own", async () => {
  const proxy = await startProxy();
  const start = (script: string) => inside(proxy, [], ["sh", "-c", script]);
  expect(await start("echo out; echo err >&2; exit 7")).toMatchObject({
    exitCode: 7,
    stdout: "out\n",
    stderr: "err\n",
  });
  // bubblewrap itself says 128 + the signal of what it ran.
  expect((await start("kill -TERM $$")).exitCode).toBe(143);
  expect((await start('printf \'%s\' "$0" "$@"; cat')).stdout).toBe("sh");
});

test("programs find the proxy by every name they look for", () => {
  expect(proxyEnvironment()).toMatchObject({
    HTTP_PROXY: "http://127.0.0.1:3128",
    https_proxy: "http://127.0.0.1:3128",
    NO_PROXY: "localhost,127.0.0.1,::1",
    NODE_USE_ENV_PROXY: "1",
  });
});

test("without a proxy at the socket the command is not run at all", async () => {
  const start = commandWithNetwork({
    command: "echo",
    args: ["ran"],
    socketPath: "/nowhere.sock",
    allow: [],
  });
  const result = await runChild({ ...start, cwd: "/", env: { PATH: process.env["PATH"] } });
  expect(result).toMatchObject({ exitCode: 69, stdout: "" });
  expect(result.stderr).toMatch(/the way out of the sandbox did not open: [\s\S]*\/nowhere\.sock/);
});

test.runIf(hasBubblewrap)("the relay ends with its command, also where no namespace ends it", async () => {
  const proxy = await startProxy({ allow: [] });
  const start = commandWithNetwork({ command: "true", args: [], socketPath: proxy.socketPath, allow: [] });
  const args = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-net"];
  // bubblewrap's first process waits for all that is left in the namespace: it returns once the relay is gone.
  const end = await runChild({
    command: "bwrap",
    args: [
      ...args,
      "--unshare-pid",
      "--as-pid-1",
      "--",
      "/bin/sh",
      "-c",
      `"$@" & wait; wait`,
      "sh",
      start.command,
      ...start.args,
    ],
    cwd: dirname(proxy.socketPath),
    env: { PATH: process.env["PATH"] },
  });
  expect(end).toMatchObject({ isOk: true });
});

test.runIf(hasBubblewrap)("a server that speaks first and an open tunnel work through SOCKS5", async () => {
  const greeter = await startGreeter();
  const allow = ["good.example:22"];
  const proxy = await startProxy({ names: TLS_ALLOWED, ports: { 22: greeter }, allow });
  const ask = ["curl", "-s", "-m", "2", "-x", "socks5h://127.0.0.1:3128", "telnet://good.example:22"];
  expect((await inside(proxy, allow, ask)).stdout).toContain("SSH-2.0-greeter");
});
