import { describe, expect, test } from "vitest";
import { compareMarks, compareMocks } from "./compare-marks.ts";
import { compareTestsOf } from "./compare-sources.ts";
import { readGo } from "./go.ts";
import { readPython } from "./python/read-python.ts";
import { readRust } from "./rust.ts";
import type { SourceModel } from "./source-model.ts";

type Case = readonly [title: string, base: string, head: string];

const kindsOf = (
  read: (file: string, text: string) => SourceModel,
  file: string,
  [base, head]: [string, string],
) => {
  const changed = [{ file, base: read(file, base), head: read(file, head) }];
  return [...compareTestsOf(changed), ...compareMarks(changed), ...compareMocks(changed)].map(
    ({ kind }) => kind,
  );
};

const inTest = (body: string): string => `func TestA(t *testing.T) {\n${body}\n}\n`;

const PYTHON_WEAKER: Case[] = [
  [
    "skipif True",
    `def test_a():\n    assert f(1) == 2\n`,
    `@pytest.mark.skipif(True, reason="x")\ndef test_a():\n    assert f(1) == 2\n`,
  ],
  [
    "pytest.skip from inside",
    `def test_a():\n    assert f(1) == 2\n`,
    `def test_a():\n    pytest.skip("later")\n    assert f(1) == 2\n`,
  ],
  [
    "pytestmark skips the file",
    `def test_a():\n    assert f(1) == 2\n`,
    `pytestmark = pytest.mark.skip\n\ndef test_a():\n    assert f(1) == 2\n`,
  ],
  ["a tuple is asserted", `def test_a():\n    assert f(1) == 2\n`, `def test_a():\n    assert (f(1), 2)\n`],
  [
    "the type alone is asked for",
    `def test_a():\n    assert f(1) == 2\n`,
    `def test_a():\n    assert isinstance(f(1), int)\n`,
  ],
  [
    "anything but None will do",
    `def test_a():\n    assert f(1) == 2\n`,
    `def test_a():\n    assert f(1) is not None\n`,
  ],
  ["a test passes", `def test_a():\n    assert f(1) == 2\n`, `def test_a():\n    pass\n`],
  [
    "the code is compared with itself",
    `def test_a():\n    assert f(1) == 2\n`,
    `def test_a():\n    r = f(1)\n    assert r == f(1)\n`,
  ],
  [
    "the tolerance grew",
    `def test_a():\n    assert f(1) == pytest.approx(2.5, abs=1e-6)\n`,
    `def test_a():\n    assert f(1) == pytest.approx(2.5, abs=1)\n`,
  ],
  [
    "a class is skipped",
    `import unittest\nclass T(unittest.TestCase):\n    pass\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(1), 2)\n`,
    `import unittest\nclass T(unittest.TestCase):\n    pass\n@unittest.skip("x")\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(1), 2)\n`,
  ],
  [
    "any true value will do",
    `import unittest\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(1), 2)\n`,
    `import unittest\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        self.assertTrue(f(1))\n`,
  ],
  [
    "a test returns first",
    `def test_a():\n    assert f(1) == 2\n`,
    `def test_a():\n    return\n    assert f(1) == 2\n`,
  ],
  [
    "failures are suppressed",
    `def test_a():\n    assert f(1) == 2\n`,
    `import contextlib\ndef test_a():\n    with contextlib.suppress(AssertionError):\n        assert f(1) == 2\n`,
  ],
  [
    "a test is run again",
    `def test_a():\n    assert f(1) == 2\n`,
    `@pytest.mark.flaky(reruns=5)\ndef test_a():\n    assert f(1) == 2\n`,
  ],
  [
    "the tested function is defined in the test",
    `def test_a():\n    assert f(1) == 2\n`,
    `f = lambda x: 2\ndef test_a():\n    assert f(1) == 2\n`,
  ],
  [
    "the tested function is patched",
    `def test_a():\n    assert f(1) == 2\n`,
    `from unittest.mock import patch\n@patch("tests.test_f.f", return_value=2)\ndef test_a(m):\n    assert f(1) == 2\n`,
  ],
];

const PYTHON_SAME: Case[] = [
  [
    "something else is patched",
    `def test_a():\n    assert f(1) == 2\n`,
    `from unittest.mock import patch\ndef test_a():\n    assert f(1) == 2\n@patch("app.fetch", return_value=2)\ndef test_b(m):\n    assert g(1) == 2\n    m.assert_called_once_with(1)\n`,
  ],
  [
    "a class was put around",
    `def test_a():\n    assert f(1) == 2\n`,
    `class TestF:\n    def test_a(self):\n        assert f(1) == 2\n`,
  ],
  [
    "try became raises",
    `def test_a():\n    try:\n        f(1)\n        assert False\n    except ValueError as e:\n        assert str(e) == "bad"\n`,
    `def test_a():\n    with pytest.raises(ValueError) as e:\n        f(1)\n    assert str(e.value) == "bad"\n`,
  ],
  [
    "tests became a table",
    `def test_a():\n    assert f(1) == 2\ndef test_b():\n    assert f(5) == 6\n`,
    `@pytest.mark.parametrize("x, y", [(1, 2), (5, 6)])\ndef test_f(x, y):\n    assert f(x) == y\n`,
  ],
  [
    "a value went over several lines",
    `def test_a():\n    assert f(1) == {"a": 1, "b": [1, 2]}\n`,
    `def test_a():\n    assert f(1) == {\n        "a": 1,\n        "b": [1, 2],\n    }\n`,
  ],
  [
    "a docstring came",
    `def test_a():\n    assert f(1) == 2\n`,
    `def test_a():\n    """It's fine: "quoted" # not a comment"""\n    assert f(1) == 2\n`,
  ],
];

describe("Python", () => {
  const head = `from app import f, g\nimport pytest\n`;
  test.each(PYTHON_WEAKER)("is weaker where %s", (_, base, now) => {
    expect(kindsOf(readPython, "tests/test_f.py", [head + base, head + now])).not.toEqual([]);
  });

  test.each(PYTHON_SAME)("is as strong where %s", (_, base, now) => {
    expect(kindsOf(readPython, "tests/test_f.py", [head + base, head + now])).toEqual([]);
  });
});

const GO_WEAKER: Case[] = [
  [
    "t.SkipNow",
    inTest(`if F(1) != 2 { t.Fatal("x") }`),
    inTest(`t.SkipNow()\nif F(1) != 2 { t.Fatal("x") }`),
  ],
  [
    "a skip of short runs",
    inTest(`if F(1) != 2 { t.Fatal("x") }`),
    inTest(`if testing.Short() { t.Skip() }\nif F(1) != 2 { t.Fatal("x") }`),
  ],
  [
    "a test stands under if (false)",
    inTest(`if F(1) != 2 { t.Fatal("x") }`),
    inTest(`if false && F(1) != 2 { t.Fatal("x") }`),
  ],
  [
    "a log stands for an error",
    inTest(`if F(1) != 2 { t.Errorf("x") }`),
    inTest(`if F(1) != 2 { t.Logf("x") }`),
  ],
  [
    "a test returns first",
    inTest(`if F(1) != 2 { t.Errorf("x") }`),
    inTest(`return\nif F(1) != 2 { t.Errorf("x") }`),
  ],
  ["anything but nil will do", inTest(`assert.Equal(t, 2, F(1))`), inTest(`assert.NotNil(t, F(1))`)],
  [
    "the code is compared with itself",
    inTest(`assert.Equal(t, 2, F(1))`),
    inTest(`assert.Equal(t, F(1), F(1))`),
  ],
  ["true is true", inTest(`assert.Equal(t, 2, F(1))`), inTest(`assert.True(t, true)`)],
  [
    "the tested function is defined in the test",
    inTest(`if F(1) != 2 { t.Errorf("x") }`),
    inTest(`F := func(int) int { return 2 }\nif F(1) != 2 { t.Errorf("x") }`),
  ],
];

const GO_SAME: Case[] = [
  [
    "a condition became an assertion",
    inTest(`if got := F(1); got != 2 { t.Errorf("got %d", got) }`),
    inTest(`assert.Equal(t, 2, F(1))`),
  ],
  [
    "conditions became a table",
    inTest(`if F(1) != 2 { t.Errorf("x") }\nif F(5) != 6 { t.Errorf("y") }`),
    inTest(
      `for _, tc := range []struct{in, want int}{{1, 2}, {5, 6}} {\nt.Run("x", func(t *testing.T) { if got := F(tc.in); got != tc.want { t.Errorf("got %d", got) } })\n}`,
    ),
  ],
  [
    "a test became parallel",
    inTest(`if F(1) != 2 { t.Errorf("x") }`),
    inTest(`t.Parallel()\nif F(1) != 2 { t.Errorf("F(1) is not 2") }`),
  ],
];

describe("Go", () => {
  const head = `package a\nimport "testing"\n`;
  test.each(GO_WEAKER)("is weaker where %s", (_, base, now) => {
    expect(kindsOf(readGo, "a_test.go", [head + base, head + now])).not.toEqual([]);
  });

  test.each(GO_SAME)("is as strong where %s", (_, base, now) => {
    expect(kindsOf(readGo, "a_test.go", [head + base, head + now])).toEqual([]);
  });
});

const RUST_WEAKER: Case[] = [
  [
    "#[ignore] with a reason",
    `#[test]\nfn a() { assert_eq!(f(1), 2); }\n`,
    `#[test]\n#[ignore = "slow"]\nfn a() { assert_eq!(f(1), 2); }\n`,
  ],
  [
    "the code is compared with itself",
    `#[test]\nfn a() { assert_eq!(f(1), 2); }\n`,
    `#[test]\nfn a() { assert_eq!(f(1), f(1)); }\n`,
  ],
  [
    "any success will do",
    `#[test]\nfn a() { assert_eq!(f(1).unwrap(), 2); }\n`,
    `#[test]\nfn a() { assert!(f(1).is_ok()); }\n`,
  ],
  [
    "an equality became an inequality",
    `#[test]\nfn a() { assert_eq!(f(1), 2); }\n`,
    `#[test]\nfn a() { assert_ne!(f(1), 0); }\n`,
  ],
  [
    "an assertion became a call",
    `#[test]\nfn a() { assert_eq!(f(1), 2); }\n`,
    `#[test]\nfn a() { let _ = f(1); }\n`,
  ],
  [
    "a test needs a feature",
    `#[test]\nfn a() { assert_eq!(f(1), 2); }\n`,
    `#[cfg(feature = "slow-tests")]\n#[test]\nfn a() { assert_eq!(f(1), 2); }\n`,
  ],
  [
    "a condition is true anyway",
    `#[test]\nfn a() { assert!(f(1) == 2); }\n`,
    `#[test]\nfn a() { assert!(f(1) == 2 || true); }\n`,
  ],
];

const RUST_SAME: Case[] = [
  [
    "a message came",
    `#[test]\nfn a() { assert_eq!(f(1), 2); }\n`,
    `#[test]\nfn a() { assert_eq!(f(1), 2, "one and one, 'x"); }\n`,
  ],
  [
    "lifetimes and characters came",
    `#[test]\nfn a<'a>() { assert_eq!(f(1), 2); }\n`,
    `fn x<'a>(y: &'a str) -> &'a str { y }\n#[test]\nfn a<'a>() { assert_eq!(f(1), 2); let c = 'x'; let d = '"'; }\n`,
  ],
  [
    "a test returns its error",
    `#[test]\nfn a() { assert_eq!(f(1).unwrap(), 2); }\n`,
    `#[test]\nfn a() -> Result<(), String> { assert_eq!(f(1)?, 2); Ok(()) }\n`,
  ],
];

describe("Rust", () => {
  const head = `use a::f;\n`;
  test.each(RUST_WEAKER)("is weaker where %s", (_, base, now) => {
    expect(kindsOf(readRust, "tests/a.rs", [head + base, head + now])).not.toEqual([]);
  });

  test.each(RUST_SAME)("is as strong where %s", (_, base, now) => {
    expect(kindsOf(readRust, "tests/a.rs", [head + base, head + now])).toEqual([]);
  });
});
