import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { systemCode } from "../../core/errors.ts";
import { findFreePort } from "../free-port.ts";
import { waitFor } from "../wait-for.ts";

/** `git daemon` over bare repositories of a folder, which may go away and come back under the same address. */
export class GitServer {
  readonly #folder: string;
  readonly #port: number;
  #child: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  static async start(folder: string): Promise<GitServer> {
    const server = new GitServer(folder, await findFreePort());
    await server.comeBack();
    return server;
  }

  addressOf(repository: string): string {
    return `git://127.0.0.1:${this.#port}/${repository}`;
  }

  async comeBack(): Promise<void> {
    const words = ["daemon", "--reuseaddr", "--listen=127.0.0.1", `--port=${this.#port}`, "--export-all"];
    // Its own process group: what it has started for a connection goes away with it.
    this.#child = spawn("git", [...words, "--enable=receive-pack", `--base-path=${this.#folder}`], {
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "", HOME: this.#folder }, // by which the folder's guard finds it
      stdio: "ignore",
      detached: true,
    });
    await waitFor("the git server to listen", () => this.#isListening());
  }

  /** In the middle of whatever it sends or takes; asked kindly, so that it leaves no lock in its repositories. */
  async goAway(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    try {
      process.kill(-child.pid, "SIGTERM");
    } catch (error) {
      if (systemCode(error) !== "ESRCH") throw error;
    }
    await exited;
  }

  #isListening(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, "127.0.0.1");
      const answer = (isThere: boolean) => () => {
        socket.destroy();
        resolve(isThere);
      };
      socket.once("connect", answer(true)).once("error", answer(false));
    });
  }
}
