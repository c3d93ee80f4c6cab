import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
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

test.skipIf(bubblewrap === undefined)(
  "a link on PATH to a program right in /tmp or in the home shows that program, and nothing beside it",
  async () => {
    const name = basename(lab.root);
    const inTmp = [`/tmp/${name}-tool`, `/tmp/${name}-canary`] as const;
    const unused = mkdtempSync(`/tmp/${name}-`);
    try {
      writeFileSync(inTmp[0], "#!/bin/sh\necho from tmp\n", { mode: 0o700 });
      writeFileSync(inTmp[1], "canary\n");
      lab.put("home/tool", "#!/bin/sh\necho from home\n", 0o700);
      lab.put("home/.netrc", "canary\n");
      lab.put("prefix/bin/other", "#!/bin/sh\n", 0o700);
      symlinkSync(inTmp[0], join(lab.root, "prefix/bin/one"));
      symlinkSync(join(lab.home, "tool"), join(lab.root, "prefix/bin/two"));
      lab.env = { ...lab.env, PATH: `${join(lab.root, "prefix/bin")}:${lab.env["PATH"]}` };
      const script = `one; two; cat ${inTmp[1]} ~/.netrc; [ -e ${unused} ] && echo folder; touch ~/new && ls ~/new`;
      const { stdout } = await lab.run(script, "bubblewrap");
      expect(stdout).toBe(`from tmp\nfrom home\n${join(lab.home, "new")}\n`);
    } finally {
      for (const path of [...inTmp, unused]) rmSync(path, { recursive: true, force: true });
    }
  },
);
