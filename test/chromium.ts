import { accessSync, constants, existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium, type BrowserContext } from "playwright-core";

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Chromium or Chrome on this machine: `CHROMIUM_PATH`, Debian's place, else the first one on PATH. */
export const findChromium = (env: NodeJS.ProcessEnv = process.env): string | undefined => {
  // A path somebody set and that is wrong must fail loudly, not skip the browser tests.
  if (env["CHROMIUM_PATH"]) return env["CHROMIUM_PATH"];
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const onPath = (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .flatMap((folder) => names.map((name) => join(folder, name)));
  return ["/usr/bin/chromium", ...onPath].find((file) => existsSync(file) && isExecutable(file));
};

/** For `test.skipIf(!hasChromium)`: the test is then named among the skipped ones. */
export const hasChromium: boolean = findChromium() !== undefined;

const QUIET_SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
];

/** What switches `document.modelContext` on in Chromium 150 to 156, and its DevTools domain. */
const WEBMCP_SWITCH = "--enable-features=WebMCP,DevToolsWebMCPSupport";

export type TestBrowser = { context: BrowserContext; close: () => Promise<void> };

/** A headless browser with a fresh profile; `close()` ends it and removes the profile. */
export const openChromium = async (
  options: { webmcp?: boolean; args?: readonly string[]; javaScriptEnabled?: boolean } = {},
): Promise<TestBrowser> => {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("no Chromium found; set CHROMIUM_PATH");
  const profile = await mkdtemp(join(tmpdir(), "nightshift-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    javaScriptEnabled: options.javaScriptEnabled ?? true,
    // Chromium keeps settings and crash reports in the home, whichever profile it is given.
    env: { PATH: process.env["PATH"] ?? "", HOME: profile },
    args: [...QUIET_SWITCHES, ...(options.webmcp === true ? [WEBMCP_SWITCH] : []), ...(options.args ?? [])],
  });
  context.setDefaultTimeout(120_000);
  const close = async (): Promise<void> => {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  };
  return { context, close };
};
