import { builtProgram } from "../../core/version.ts";
import { listLoopbackTargets } from "./allow-list.ts";
import type { RelaySettings } from "./relay.ts";

/** Where the proxy is reached inside, HTTP and SOCKS5 alike; every sandbox has a loopback of its own. */
export const RELAY_PORT = 3128;

/** Whoever looks for a proxy in the environment finds it, by each of the names that programs look for. */
export const proxyEnvironment = (): Record<string, string> => {
  const url = `http://127.0.0.1:${RELAY_PORT}`;
  const named = {
    http_proxy: url,
    https_proxy: url,
    // Not socks5h://: Python's httpx and requests refuse to start over it without a further package.
    all_proxy: url,
    no_proxy: "localhost,127.0.0.1,::1",
  };
  const upper = Object.entries(named).map(([name, value]) => [name.toUpperCase(), value]);
  return {
    ...named,
    ...(Object.fromEntries(upper) as Record<string, string>),
    NODE_USE_ENV_PROXY: "1", // Node's own fetch and http, from 22.21 on
    YARN_HTTP_PROXY: url, // Yarn from 2 on reads only its own
    YARN_HTTPS_PROXY: url,
  };
};

/**
 * $1 runtime, $2 relay, $3 its settings, the rest is the command. It takes this shell's place: its signals, its
 * files and its exit code are nobody else's. Node may warn before the relay is ready, and what the session's own
 * programs of Node are told is not for the relay. A namespace that was made without bubblewrap has its loopback down.
 */
const SCRIPT = `
relay() {
  said=$(NODE_OPTIONS= NODE_USE_ENV_PROXY= "$1" "$2" "{\\"watch\\":$$,$3" </dev/null 2>&1 &)
  case "$said" in ready | *"
ready") ;; *) false ;; esac
}
if relay "$@" || { ip link set lo up 2>/dev/null && relay "$@"; }; then
  shift 3
  exec "$@"
fi
printf '%s\\n' "nightshift: the way out of the sandbox did not open: $said" >&2
exit 69
`;

/**
 * The command that opens the way out inside the network namespace and then becomes `command`. It needs
 * `proxyEnvironment()`, a shell at /bin/sh, and the proxy's socket at `socketPath` inside.
 * @throws AppError `config` for an entry of `allow` that is no host
 */
export const commandWithNetwork = ({
  command,
  args,
  socketPath,
  allow,
  runtime = process.execPath,
}: {
  command: string;
  args: readonly string[];
  socketPath: string;
  allow: readonly string[];
  runtime?: string;
}): { command: string; args: string[] } => {
  const settings: RelaySettings = { socketPath, port: RELAY_PORT, loopback: listLoopbackTargets(allow) };
  const open = JSON.stringify(settings).slice(1);
  return {
    command: "/bin/sh",
    args: [
      "-c",
      SCRIPT.trim(),
      "nightshift",
      runtime,
      builtProgram("sandbox/network/relay.js"),
      open,
      command,
      ...args,
    ],
  };
};
