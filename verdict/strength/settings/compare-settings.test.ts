import { expect, test } from "vitest";
import { compareSettings } from "./compare-settings.ts";

type Case = readonly [title: string, file: string, base: string, head: string];

const LOOSER: Case[] = [
  [
    "a threshold of Jest fell",
    "jest.config.js",
    "module.exports = { coverageThreshold: { global: { branches: 80, lines: 90 } } };",
    "module.exports = { coverageThreshold: { global: { branches: 10, lines: 90 } } };",
  ],
  [
    "a threshold of Jest is gone",
    "jest.config.js",
    "module.exports = { coverageThreshold: { global: { branches: 80, lines: 90 } } };",
    "module.exports = { };",
  ],
  [
    "fail_under fell",
    "pyproject.toml",
    "[tool.coverage.report]\nfail_under = 90\n",
    "[tool.coverage.report]\nfail_under = 9\n",
  ],
  [
    "a flag for coverage fell",
    "Makefile",
    "test:\n\tpytest --cov-fail-under=90\n",
    "test:\n\tpytest --cov-fail-under=50\n",
  ],
  [
    "c8 checks less",
    "package.json",
    `{"scripts":{\n"test":"c8 --check-coverage --lines 90 node --test"\n}}`,
    `{"scripts":{\n"test":"c8 --lines 20 node --test"\n}}`,
  ],
  [
    "the target of codecov fell",
    "codecov.yml",
    "coverage:\n  status:\n    project:\n      default:\n        target: 90%\n",
    "coverage:\n  status:\n    project:\n      default:\n        target: 50%\n",
  ],
  [
    "the test script is `true`",
    "package.json",
    `{"scripts":{\n"test":"vitest run"\n}}`,
    `{"scripts":{\n"test":"true"\n}}`,
  ],
  [
    "the test script cannot fail",
    "package.json",
    `{"scripts":{\n"test":"vitest run"\n}}`,
    `{"scripts":{\n"test":"vitest run || exit 0"\n}}`,
  ],
  [
    "no tests are enough",
    "package.json",
    `{"scripts":{\n"test":"jest"\n}}`,
    `{"scripts":{\n"test":"jest --passWithNoTests"\n}}`,
  ],
  [
    "Jest ignores a path",
    "jest.config.js",
    "module.exports = { testMatch: ['**/*.test.js'] };",
    "module.exports = { testMatch: ['**/*.test.js'], testPathIgnorePatterns: ['/node_modules/', 'price'] };",
  ],
  [
    "Jest matches one file",
    "jest.config.js",
    "module.exports = { testMatch: ['**/*.test.js'] };",
    "module.exports = { testMatch: ['**/slug.test.js'] };",
  ],
  [
    "CI goes on after an error",
    ".github/workflows/ci.yml",
    "jobs:\n  a:\n    steps:\n      - run: npm test\n",
    "jobs:\n  a:\n    steps:\n      - run: npm test\n        continue-on-error: true\n",
  ],
  [
    "CI lints no more",
    ".github/workflows/ci.yml",
    "jobs:\n  a:\n    steps:\n      - run: npm test\n      - run: npm run lint\n",
    "jobs:\n  a:\n    steps:\n      - run: npm test\n",
  ],
  [
    "a step of CI never runs",
    ".github/workflows/ci.yml",
    "jobs:\n  a:\n    steps:\n      - run: npm test\n",
    "jobs:\n  a:\n    steps:\n      - run: npm test\n        if: false\n",
  ],
  ["make ignores a failure", "Makefile", "test:\n\tgo test ./...\n", "test:\n\t-go test ./...\n"],
  ["make tests one package", "Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test ./safe/...\n"],
  ["go runs some tests", "Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test -run TestSafe ./...\n"],
  ["go runs short tests", "Makefile", "test:\n\tgo test ./...\n", "test:\n\tgo test -short ./...\n"],
  ["cargo tests the library alone", "Makefile", "test:\n\tcargo test\n", "test:\n\tcargo test --lib\n"],
  [
    "a gate goes on after failures",
    "gates/health.sh",
    "#!/bin/sh\nset -e\nnpm test\n",
    "#!/bin/sh\nset +e\nnpm test\nexit 0\n",
  ],
  [
    "a gate hides what fails in a pipe",
    "gates/health.sh",
    "#!/bin/bash\nset -eo pipefail\nnpm test | tee log\n",
    "#!/bin/bash\nset -e\nnpm test | tee log\n",
  ],
  [
    "a rule is off",
    "eslint.config.js",
    "export default [{ rules: { 'no-undef': 'error' } }];",
    "export default [{ rules: { 'no-undef': 'off' } }];",
  ],
  [
    "a file is not linted",
    "eslint.config.js",
    "export default [{ ignores: ['dist/**'] }];",
    "export default [{ ignores: ['dist/**', 'src/price.js'] }];",
  ],
  ["strict is gone", "tsconfig.json", `{"compilerOptions":{"strict":true}}`, `{"compilerOptions":{}}`],
  ["a file is not compiled", "tsconfig.json", `{"exclude":["dist"]}`, `{"exclude":["dist","src/bad.ts"]}`],
  ["mypy ignores errors", "mypy.ini", "[mypy]\nstrict = True\n", "[mypy]\nignore_errors = True\n"],
  ["ruff ignores a rule more", "ruff.toml", 'ignore = ["E501"]\n', 'ignore = ["E501", "F401"]\n'],
  [
    "pytest looks in one folder",
    "pytest.ini",
    "[pytest]\ntestpaths = tests\n",
    "[pytest]\ntestpaths = tests/unit\n",
  ],
  [
    "pytest leaves out a test",
    "pytest.ini",
    "[pytest]\naddopts = -q\n",
    "[pytest]\naddopts = -q --deselect tests/test_a.py::test_x\n",
  ],
  [
    "pytest leaves out a file",
    "pyproject.toml",
    '[tool.pytest.ini_options]\naddopts = "-q"\n',
    '[tool.pytest.ini_options]\naddopts = "-q --ignore=tests/test_a.py"\n',
  ],
  [
    "golangci leaves something out",
    ".golangci.yml",
    "linters:\n  enable:\n    - errcheck\n",
    "linters:\n  enable:\n    - errcheck\nissues:\n  exclude: ['Error return']\n",
  ],
  [
    "a gate only warns",
    "agent.config.ts",
    "export default { gates: { test: { command: 'npm test', severity: 'block' } } };",
    "export default { gates: { test: { command: 'npm test', severity: 'warn' } } };",
  ],
  [
    "tests are tried again",
    "playwright.config.ts",
    "export default { retries: 0, timeout: 30000 };",
    "export default { retries: 3, timeout: 30000 };",
  ],
  ["tests may take longer", ".mocharc.json", `{"timeout": 2000}`, `{"timeout": 60000}`],
];

const SAME: Case[] = [
  [
    "versions changed",
    "package.json",
    `{\n"dependencies": {\n"jest": "^29.0.0"\n}\n}`,
    `{\n"dependencies": {\n"jest": "^30.0.0",\n"zod": "^3.0.0"\n}\n}`,
  ],
  [
    "a script came",
    "package.json",
    `{"scripts":{\n"test":"vitest run"\n}}`,
    `{"scripts":{\n"test":"vitest run",\n"dev":"vite"\n}}`,
  ],
  [
    "less is published",
    "package.json",
    `{"files":["dist","src"],"scripts":{\n"test":"vitest run"\n}}`,
    `{"files":["dist"],"scripts":{\n"test":"vitest run"\n}}`,
  ],
  [
    "thresholds rose",
    "vitest.config.ts",
    "export default { test: { coverage: { thresholds: { lines: 80 } } } };",
    "export default { test: { coverage: { thresholds: { lines: 90, branches: 80 } } } };",
  ],
  [
    "CI does more",
    ".github/workflows/ci.yml",
    "jobs:\n  a:\n    steps:\n      - run: npm test\n",
    "jobs:\n  a:\n    timeout-minutes: 10\n    steps:\n      - run: npm run lint\n      - run: npm test\n",
  ],
  [
    "make got a target",
    "Makefile",
    "test:\n\tgo test ./...\n",
    "test:\n\tgo test ./...\n\nclean:\n\trm -rf bin || true\n",
  ],
  [
    "a script that checks nothing may fail",
    "scripts/deploy.sh",
    "#!/bin/sh\nset -e\ndocker stop app\n",
    '#!/bin/sh\nset -e\ndocker stop app || true\ngit commit -m "x"\n',
  ],
  [
    "cargo got a dependency",
    "Cargo.toml",
    '[dependencies]\nserde = "1"\n',
    '[dependencies]\nserde = "1"\nregex = { version = "1", default-features = false }\n',
  ],
  [
    "Python got a dependency",
    "pyproject.toml",
    '[project]\ndependencies = ["a"]\n',
    '[project]\ndependencies = ["a", "b"]\n[tool.ruff]\nline-length = 100\n',
  ],
  [
    "paths came",
    "tsconfig.json",
    `{"compilerOptions":{"strict":true}}`,
    `{"compilerOptions":{"strict":true,"paths":{"@/*":["./src/*"]}}}`,
  ],
  [
    "a rule came",
    "eslint.config.js",
    "export default [{ rules: { 'no-undef': 'error' } }];",
    "export default [{ rules: { 'no-undef': 'error', 'eqeqeq': 'error' } }];",
  ],
  [
    "the layout changed",
    "vitest.config.ts",
    "export default { test: { include: ['tests/**/*.test.ts'], testTimeout: 5000 } };",
    'export default {\n  test: {\n    include: ["tests/**/*.test.ts"],\n    testTimeout: 5_000,\n  },\n};',
  ],
];

test.each(LOOSER)("lets more pass where %s", (_, file, base, head) => {
  const findings = compareSettings(file, base, head);
  expect(findings).not.toEqual([]);
  for (const { line, message } of findings) {
    expect(line).toBeGreaterThan(0);
    expect(message).not.toBe("");
  }
});

test.each(SAME)("finds nothing where %s", (_, file, base, head) => {
  expect(compareSettings(file, base, head)).toEqual([]);
});

test("finds what a file that is gone does not check any more", () => {
  const kinds = compareSettings("gates/health.sh", "#!/bin/sh\nset -e\nnpm test\n", undefined).map(
    ({ kind }) => kind,
  );
  expect(kinds).toContain("check-removed");
});
