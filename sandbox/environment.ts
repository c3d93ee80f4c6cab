import type { Environment } from "../core/paths.ts";

/** What programs need of the user's environment to be the programs that the user knows. */
const USUAL = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  "TERM",
  "COLORTERM",
  "COLUMNS",
  "LINES",
  "NO_COLOR",
  "FORCE_COLOR",
  "CLICOLOR",
  "CI",
  "EDITOR",
  "PAGER",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_CACHE_HOME",
  "XDG_STATE_HOME",
  "XDG_DATA_DIRS",
  "XDG_CONFIG_DIRS",
  "NODE_ENV",
  "NODE_PATH",
  "NODE_OPTIONS",
  "NODE_EXTRA_CA_CERTS",
  "NVM_*",
  "FNM_*",
  "VOLTA_HOME",
  "COREPACK_*",
  "BUN_INSTALL",
  "DENO_DIR",
  "DENO_INSTALL",
  "PNPM_HOME",
  "YARN_*",
  "PYTHONPATH",
  "PYTHONHOME",
  "PYTHONDONTWRITEBYTECODE",
  "PYENV_*",
  "VIRTUAL_ENV",
  "CONDA_PREFIX",
  "CONDA_DEFAULT_ENV",
  "UV_PYTHON*",
  "POETRY_VIRTUALENVS_*",
  "GOPATH",
  "GOROOT",
  "GOFLAGS",
  "GOPROXY",
  "GOTOOLCHAIN",
  "CARGO_HOME",
  "CARGO_TARGET_DIR",
  "RUSTUP_*",
  "RUSTFLAGS",
  "JAVA_HOME",
  "JDK_HOME",
  "MAVEN_OPTS",
  "GRADLE_OPTS",
  "SDKMAN_*",
  "ANDROID_HOME",
  "ANDROID_SDK_ROOT",
  "RBENV_ROOT",
  "GEM_HOME",
  "GEM_PATH",
  "BUNDLE_PATH",
  "PHPENV_ROOT",
  "ASDF_*",
  "MISE_*",
  "DOTNET_ROOT",
  "PERL5LIB",
  "LUA_PATH",
  "LD_LIBRARY_PATH",
  "PKG_CONFIG_PATH",
  "CC",
  "CXX",
  "CFLAGS",
  "CXXFLAGS",
  "LDFLAGS",
  "MAKEFLAGS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "NIX_*",
  "GIT_AUTHOR_*",
  "GIT_COMMITTER_*",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_CONFIG_SYSTEM",
  "EMAIL",
  // ours: hooks and commands in a session go by them; the mark is how it is found again
  "NIGHTSHIFT_WORKER",
  "NIGHTSHIFT_SESSION",
  "NIGHTSHIFT_RUN",
  "NIGHTSHIFT_SESSION_MARK",
  "NIGHTSHIFT_HOME",
  "NIGHTSHIFT_URL",
  "NIGHTSHIFT_MEMORY_URL",
  "WORKERS_HOME",
] as const;

const createMatcher = (names: readonly string[]): ((name: string) => boolean) => {
  const exact = new Set(names.filter((name) => !name.endsWith("*")));
  const beginnings = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return (name) => exact.has(name) || beginnings.some((beginning) => name.startsWith(beginning));
};

/** The variables of an environment that these names mean, with their values. */
export const pickVariables = (env: Environment, names: readonly string[]): Environment => {
  const isNamed = createMatcher(names);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isNamed(name)));
};

/** Of an environment what a session gets: the usual, what its agent needs, what the config names. */
export const chooseEnvironment = (
  env: Environment,
  { names, added }: { names: readonly string[]; added: Readonly<Record<string, string>> },
): Record<string, string> => {
  const isChosen = createMatcher([...USUAL, ...names, ...Object.keys(added)]);
  const chosen = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isChosen(entry[0]),
  );
  return { ...Object.fromEntries(chosen), ...added };
};
