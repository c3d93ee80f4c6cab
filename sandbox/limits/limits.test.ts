import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bubblewrap, EscapeLab } from "../fixtures/escape-lab.ts";
import { DEFAULT_SANDBOX } from "../settings.ts";
import { findLimitHolders } from "./holders.ts";

let lab = new EscapeLab();
lab.dispose();
beforeEach(() => {
  lab = new EscapeLab();
});
afterEach(() => lab.dispose());

const limit = (limits: object) => {
  lab.settings = { limits: { ...DEFAULT_SANDBOX.limits, ...limits } };
};
const holders = findLimitHolders();

describe.skipIf(bubblewrap === undefined)("what a session may use of the machine", () => {
  test.skipIf(holders.processes === "nothing")("it starts no more processes than it may", async () => {
    limit({ processes: 60 });
    // Under the numbers of a pid namespace the kernel keeps 300 more back.
    const { stdout, stderr } = await lab.run(
      "n=0; while [ $n -lt 600 ]; do sleep 5 & n=$((n+1)); echo $n; done; echo all",
      "bubblewrap",
    );
    expect(stdout).not.toContain("all");
    expect(stderr).toMatch(/fork|Resource temporarily unavailable/i);
  });

  test("a process gets no more memory than the session may have", async () => {
    limit({ memoryMiB: 256 });
    const eat = (mib: number) =>
      `node -e 'const all=[];for(let i=0;i<${mib};i+=16)all.push(Buffer.alloc(16<<20,1));console.log("ate",all.length)'`;
    expect((await lab.run(eat(32), "bubblewrap")).stdout).toBe("ate 2\n");
    expect((await lab.run(eat(1024), "bubblewrap")).stdout).toBe("");
  });

  test("what runs in it is the first that the kernel ends where memory runs out", async () => {
    const { stdout } = await lab.run("cat /proc/self/oom_score_adj", "bubblewrap");
    expect(stdout).toBe("1000\n");
  });

  test("an interrupt reaches what runs in it, as it does outside", async () => {
    const { stdout } = await lab.run(
      "sh -c 'trap \"echo heard; exit 0\" INT; kill -INT $$; echo deaf'",
      "bubblewrap",
    );
    expect(stdout).toBe("heard\n");
  });

  test("it reads its standard input, and its exit code comes out", async () => {
    const { exitCode, stdout } = await lab.run("printf said | { cat; exit 7; }", "bubblewrap");
    expect({ exitCode, stdout }).toEqual({ exitCode: 7, stdout: "said" });
  });
});
