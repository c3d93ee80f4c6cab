import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bubblewrap, EscapeLab } from "./fixtures/escape-lab.ts";

let lab = new EscapeLab();
lab.dispose();
beforeEach(() => {
  lab = new EscapeLab();
});
afterEach(() => lab.dispose());

// As npm installs them: bin/tool -> ../lib/node_modules/tool/tool.sh, in a folder of the private /tmp.
test.skipIf(bubblewrap === undefined)(
  "a program on PATH runs with what its link leads to, and a link opens nothing that is hidden",
  async () => {
    lab.put(
      "prefix/lib/node_modules/tool/tool.sh",
      '#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/word"\n',
      0o700,
    );
    lab.put("prefix/lib/node_modules/tool/word", "installed\n");
    lab.put("prefix/bin/other", "#!/bin/sh\necho other\n", 0o700);
    symlinkSync("../lib/node_modules/tool/tool.sh", join(lab.root, "prefix/bin/tool"));
    lab.put("home/.ssh/id", "canary\n");
    symlinkSync(join(lab.home, ".ssh/id"), join(lab.root, "prefix/bin/key"));
    lab.env = { ...lab.env, PATH: `${join(lab.root, "prefix/bin")}:${lab.env["PATH"]}` };
    const { stdout } = await lab.run(`tool; other; cat "${join(lab.root, "prefix/bin/key")}"`, "bubblewrap");
    expect(stdout).toBe("installed\nother\n");
  },
);
