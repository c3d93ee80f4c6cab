import { named } from "./options.ts";

export const SHELLS = named("sh bash zsh dash ksh ash fish rbash pwsh powershell");

/** Programs that start the rest of their words. */
export const PREFIXES = named(
  "sudo doas env nohup setsid time nice ionice chrt stdbuf command builtin exec noglob nocorrect unbuffer chronic caffeinate strace ltrace busybox watch pkexec systemd-run xargs parallel entr cross-env dotenvx dotenv npx bunx pnpx uvx pipx",
);

/** Programs that take one word of their own before those that they start. */
export const WITH_OPERAND = named("timeout gtimeout flock chroot taskset su runuser");

/** Programs that start a command in a container, a pod or another machine. */
export const CONTAINERS = named("docker podman nerdctl kubectl oc docker-compose lxc nsenter vagrant");

/** Programs whose subcommand starts the rest: `uv run …`, `bundle exec …`. */
export const SUBCOMMANDS: Record<string, readonly string[]> = {
  npm: ["exec", "x"],
  pnpm: ["exec", "dlx"],
  yarn: ["exec", "dlx", "run"],
  bun: ["x"],
  uv: ["run"],
  poetry: ["run"],
  pipenv: ["run"],
  pdm: ["run"],
  hatch: ["run"],
  rye: ["run"],
  bundle: ["exec"],
  direnv: ["exec"],
  mise: ["exec", "x"],
  pipx: ["run"],
  dotenvx: ["run"],
  doppler: ["run"],
  op: ["run"],
};
