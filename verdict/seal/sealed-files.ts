import { minimatch } from "minimatch";

/** Globs of files that decide what a check finds, each with what they are. docs/verdict.md lists them. */
export const SEALED: Readonly<Record<string, readonly string[]>> = {
  "the config of Nightshift": ["**/agent.config.{ts,mts,js,mjs,json,yaml,yml}"],
  gates: ["gates/**", "**/gates/{health.sh,baseline.json}"],
  "scripts and settings of packages": [
    "**/package.json",
    "**/deno.{json,jsonc}",
    "**/pyproject.toml",
    "**/Cargo.toml",
    "**/go.mod",
    "**/composer.json",
  ],
  "a test runner's config": [
    "**/{vitest,vite,jest,playwright,cypress,karma,ava,wdio,mocha,jasmine,nightwatch,codecept,web-test-runner}.config.*",
    "**/vitest.workspace.*",
    "**/vitest.{setup,global}.*",
    "**/jest.{setup,preset,globals}.*",
    "**/{setupTests,setup-tests,test-setup}.*",
    "**/karma.conf.*",
    "**/.mocharc*",
    "**/.taprc",
    "**/.{nycrc,c8rc,istanbul.yml}*",
    "**/nyc.config.*",
    "**/codecov.y*ml",
    "**/.coveragerc",
    "**/{pytest,tox}.ini",
    "**/.pytest.ini",
    "**/setup.cfg",
    "**/conftest.py",
    "**/{sitecustomize,usercustomize}.py",
    "**/noxfile.py",
    "**/.cargo/config*",
    "**/.config/nextest.toml",
    "**/phpunit.xml*",
    "**/.rspec",
    "**/Rakefile",
  ],
  "a compiler's config": [
    "**/tsconfig*.json",
    "**/jsconfig*.json",
    "**/babel.config.*",
    "**/.babelrc*",
    "**/.swcrc",
    "**/{mypy,.mypy}.ini",
    "**/pyrightconfig.json",
    "**/rust-toolchain*",
    "**/go.work",
  ],
  "a linter's config": [
    "**/eslint.config.*",
    "**/.eslintrc*",
    "**/.eslintignore",
    "**/.oxlintrc*",
    "**/oxlint.config.*",
    "**/biome.json*",
    "**/.prettierrc*",
    "**/prettier.config.*",
    "**/.prettierignore",
    "**/.oxfmtrc*",
    "**/.stylelintrc*",
    "**/{ruff,.ruff}.toml",
    "**/.flake8",
    "**/.pylintrc",
    "**/pylintrc",
    "**/.golangci.*",
    "**/{clippy,.clippy,rustfmt,.rustfmt}.toml",
    "**/.rubocop*.yml",
    "**/.markdownlint*",
    "**/.editorconfig",
    "**/{knip,lint-staged.config,commitlint.config}.*",
    "**/.lintstagedrc*",
  ],
  "a baseline": ["**/*baseline*.{json,xml,yml,yaml,txt}", "**/.secrets.baseline"],
  "continuous integration": [
    ".github/{workflows,actions}/**",
    ".gitlab-ci*",
    ".gitlab/**",
    ".circleci/**",
    ".buildkite/**",
    "azure-pipelines*.yml",
    "Jenkinsfile*",
    ".travis.yml",
    ".ci/**",
    "bitbucket-pipelines.yml",
    ".drone.yml",
    ".woodpecker*",
  ],
  "git's own files": ["**/.gitattributes", "**/.gitmodules", "**/.mailmap"],
  hooks: [
    "**/.husky/**",
    "**/.githooks/**",
    "**/.git-hooks/**",
    "**/lefthook*.yml",
    ".pre-commit-config.yaml",
    ".claude/settings*.json",
  ],
  "settings of the tools": [
    "**/.npmrc",
    "**/.yarnrc*",
    "**/.pnpmfile.*",
    "**/pnpm-workspace.yaml",
    "**/bunfig.toml",
    "**/.env",
    "**/.env.!(example|sample|template|dist)",
    "**/.envrc",
    "**/.tool-versions",
    "**/.nvmrc",
    "**/.node-version",
    "**/.python-version",
    "**/mise.toml",
    "**/.mise.toml",
    "**/{Makefile,makefile,GNUmakefile,*.mk}",
    "**/{justfile,Justfile,.justfile}",
    "**/Taskfile.y*ml",
    "**/{turbo,nx,lerna,rush}.json",
    "**/.yarn/{releases,plugins,patches}/**",
    "**/.pnp.*",
    "**/*.pth",
  ],
  "a patch of a dependency": ["**/patches/**/*.{patch,diff}", "**/*.patch"],
  "a snapshot": ["**/__snapshots__/**", "**/*.snap", "**/*.snapshot", "**/__image_snapshots__/**"],
};

const OPTIONS = { dot: true, nocase: false } as const;

const RULES: readonly (readonly [string, readonly string[]])[] = Object.entries(SEALED);

export const matchesSome = (path: string, globs: readonly string[]): boolean =>
  globs.some(
    (glob) => minimatch(path, glob, OPTIONS) || (!glob.includes("*") && path.startsWith(`${glob}/`)),
  );

/** Which rule seals a path, in words; undefined for a path that no rule knows. */
export const sealedBy = (path: string, extra: readonly string[] = []): string | undefined =>
  extra.length > 0 && matchesSome(path, extra)
    ? "verify.sealed"
    : RULES.find(([, globs]) => matchesSome(path, globs))?.[0];

const TEST_PATHS = [
  "**/{test,tests,spec,specs,__tests__,__test__,e2e,testdata,fixtures}/**",
  "**/*.{test,spec}.*",
  "**/*-{test,spec}.*",
  "**/*_{test,spec}.*",
  "**/test_*.py",
  "**/test-*.*",
  "**/{test,tests}.*",
];

/** A test, or what lies beside tests: what the base had of these is run against the new code as well. */
export const isTestPath = (path: string): boolean =>
  matchesSome(path, TEST_PATHS) && !/(?:^|\/)node_modules\//.test(path);
