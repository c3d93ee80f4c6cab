const NAMED =
  /(?:^|\/)(?:package\.json|[^/]*\.config\.[cm]?[jt]sx?|[^/]*\.config\.json|(?:ts|js)config[^/]*\.json|\.(?:eslint|mocha|nyc|c8|babel|swc|stylelint|jest|taprc|oxlint|lintstaged|prettier)rc[^/]*|eslint\.config\.\w+|biome\.jsonc?|deno\.jsonc?|\.?oxlintrc\.json|turbo\.json|nx\.json|project\.json|bunfig\.toml|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|\.pytest\.ini|\.coveragerc|mypy\.ini|\.mypy\.ini|\.flake8|\.pylintrc|pylintrc|\.?ruff\.toml|noxfile\.py|pyrightconfig\.json|Cargo\.toml|\.?clippy\.toml|nextest\.toml|\.golangci\.\w+|\.?codecov\.yml|sonar-project\.properties|Makefile|makefile|GNUmakefile|[Jj]ustfile|Taskfile\.ya?ml|\.pre-commit-config\.yaml|lefthook\.ya?ml|\.gitlab-ci\.ya?ml|azure-pipelines\.yml|Jenkinsfile|\.travis\.yml|Dockerfile[^/]*|agent\.config\.\w+|vitest\.workspace\.\w+)$/;
const FOLDERS =
  /(?:^|\/)(?:gates|\.husky|\.githooks|hooks|\.cargo|\.config)\/|(?:^|\/)\.(?:github|circleci|buildkite|gitea|forgejo)\/.*\.ya?ml$/;
const SHELL = /\.(?:sh|bash|zsh|mk)$/;

/** A file that says what is checked and how strictly. */
export const isSettingsFile = (file: string): boolean =>
  NAMED.test(file) || FOLDERS.test(file) || SHELL.test(file);

/** A config of a linter, a compiler or a type checker: what it leaves out is a rule, not a test. */
export const isRulesFile = (file: string): boolean =>
  /eslint|oxlint|biome|(?:ts|js)config|mypy|ruff|flake8|pylint|pyright|golangci|clippy|stylelint/.test(file);

/** What decides whether a commit may pass: a gate, a hook, continuous integration. */
export const isGateFile = (file: string): boolean =>
  FOLDERS.test(file) || /(?:gitlab-ci|azure-pipelines|\.travis|Jenkinsfile|lefthook|pre-commit)/.test(file);

/** A file in which a switch that is new and off takes something out of the checks. */
export const isSwitchFile = (file: string): boolean =>
  isRulesFile(file) ||
  /(?:Cargo|pyproject|nextest)\.toml$|setup\.cfg$|(?:vitest|jest|mocha|playwright)[^/]*$/.test(file);
