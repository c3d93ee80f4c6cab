import { describe } from "vitest";
import { CANARY, describeEscapes, type Prepare } from "../fixtures/escape-lab.ts";

const FILES = [
  ".ssh/id_ed25519",
  ".ssh/config",
  ".gnupg/private-keys-v1.d/key",
  ".aws/credentials",
  ".azure/accessTokens.json",
  ".config/gcloud/application_default_credentials.json",
  ".kube/config",
  ".docker/config.json",
  ".config/gh/hosts.yml",
  ".git-credentials",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".cargo/credentials.toml",
  ".pgpass",
  ".vault-token",
  ".password-store/bank.gpg",
  ".local/share/keyrings/login.keyring",
  ".mozilla/firefox/p/logins.json",
  ".config/google-chrome/Default/Cookies",
  ".bash_history",
  ".codex/auth.json",
  ".memory-api-key",
  ".nightshift/admin-token",
  ".nightshift/servers.json",
  ".workers/neighbour.json",
  ".workers/neighbour/handoffs/001.md",
];

const put =
  (path: string): Prepare =>
  (lab) =>
    lab.put(path, CANARY);

describe("reading a secret in the home", () => {
  describeEscapes(
    FILES.map((file) => ({
      title: `~/${file}`,
      prepare: put(`home/${file}`),
      script: `cat "$HOME/${file}"`,
    })),
  );
});

describe("reading a secret by another way", () => {
  const prepare = put("home/.ssh/id_ed25519");
  describeEscapes([
    {
      title: "through a link in the work tree",
      prepare,
      script: "ln -s {home}/.ssh/id_ed25519 here; cat here",
    },
    {
      title: "through a link to its folder",
      prepare,
      script: "ln -s {home}/.ssh there; cat there/id_ed25519",
    },
    {
      title: "through a hard link",
      prepare,
      script: "ln {home}/.ssh/id_ed25519 here && cat here",
    },
    { title: "through the root of a process", prepare, script: "cat /proc/self/root{home}/.ssh/id_ed25519" },
    {
      title: "through the root of its parent",
      prepare,
      needsRoot: true,
      script: "cat /proc/$PPID/root{home}/.ssh/id_ed25519",
    },
    { title: "by climbing out of the work tree", prepare, script: "cat ../home/.ssh/id_ed25519" },
    { title: "by searching the whole home", prepare, script: "grep -r canary {home}" },
    {
      title: "by packing the whole home",
      prepare,
      script: "tar -cf - -C {home} . 2>/dev/null | grep -a canary",
    },
    {
      title: "where the home of the password database says",
      prepare: (lab) => {
        lab.env["HOME"] = lab.home;
        lab.put("home/.aws/credentials", CANARY);
      },
      script: `HOME={root}; cat "$HOME/home/.aws/credentials"`,
    },
    {
      title: "where a variable says that the memory's key is",
      prepare: (lab) => {
        lab.env["MEMORY_API_KEY_FILE"] = lab.put("home/keys/memory", CANARY);
      },
      script: "cat {home}/keys/memory",
    },
    {
      title: "through a link that the home leads to its secrets by",
      prepare: (lab) => lab.put("home/.config/gh/hosts.yml", CANARY),
      script: "cd {home}/.config && cat ./../.config/gh/hosts.yml",
    },
    {
      title: "with git, out of a repository elsewhere that is hidden",
      prepare: (lab) => lab.put("home/.password-store/x/secret", CANARY),
      script: "git diff --no-index /dev/null {home}/.password-store/x/secret",
    },
  ]);
});

describe("reading the environment of others", () => {
  const prepare: Prepare = (lab) => {
    for (const name of ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "NPM_TOKEN", "STRIPE_KEY", "SSH_AUTH_SOCK"])
      lab.env[name] = `${CANARY}-${name}`;
  };
  describeEscapes([
    { title: "a key of a cloud in its own", prepare, script: 'echo "$AWS_SECRET_ACCESS_KEY"' },
    { title: "a token of a forge", prepare, script: "env | grep GITHUB_TOKEN" },
    { title: "a token that nobody named", prepare, script: 'echo "$NPM_TOKEN"' },
    { title: "the way to the agent of keys", prepare, script: 'echo "$SSH_AUTH_SOCK"' },
    { title: "as the kernel keeps it", prepare, script: "tr '\\0' '\\n' < /proc/$$/environ | grep STRIPE" },
    {
      title: "of its parents",
      prepare,
      script: "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep STRIPE",
    },
  ]);
});
