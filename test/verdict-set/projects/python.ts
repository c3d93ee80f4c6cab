/** Accounts: `transfer` lets a balance go below zero, and one test says so. */
export const PYTHON: Record<string, string> = {
  "pyproject.toml": `[project]
name = "bank"
version = "1.0.0"

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["."]

[tool.coverage.report]
fail_under = 90

[tool.mypy]
strict = true
`,
  "gates/health.sh": `#!/bin/sh
set -e
cd "$(dirname "$0")/.."
python3 -m pytest -q -p no:cacheprovider
`,
  "bank/__init__.py": "",
  "bank/account.py": `class NotEnough(Exception):
    pass


class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
        return self.balance


def transfer(source, target, amount):
    source.balance -= amount
    target.balance += amount


def interest(balance, rate, years):
    return round(balance * (1 + rate) ** years, 2)
`,
  "bank/text.py": `def mask(number):
    return "*" * (len(number) - 4) + number[-4:]


def initials(name):
    return "".join(part[0].upper() for part in name.split())
`,
  "tests/test_account.py": `import pytest

from bank.account import Account, NotEnough, interest, transfer


class TestTransfer:
    def test_moves_money(self):
        a, b = Account("Ann", 100), Account("Bob", 5)
        transfer(a, b, 30)
        assert a.balance == 70
        assert b.balance == 35

    def test_refuses_what_is_not_there(self):
        a, b = Account("Ann", 10), Account("Bob")
        with pytest.raises(NotEnough):
            transfer(a, b, 11)
        assert a.balance == 10


def test_deposit_refuses_nothing():
    with pytest.raises(ValueError, match="amount must be positive"):
        Account("Ann").deposit(0)


@pytest.mark.parametrize(
    "balance, rate, years, expected",
    [
        (100, 0.05, 1, 105.0),
        (100, 0.05, 2, 110.25),
        (250, 0.0, 9, 250),
    ],
)
def test_interest(balance, rate, years, expected):
    assert interest(balance, rate, years) == expected
`,
  "tests/test_text.py": `import unittest

from bank.text import initials, mask


class TextTest(unittest.TestCase):
    def test_mask_shows_the_last_four(self):
        self.assertEqual(mask("1234567890"), "******7890")
        self.assertEqual(len(mask("1234567890")), 10)

    def test_initials(self):
        self.assertEqual(initials("ada lovelace"), "AL")
        self.assertIn("G", initials("grace hopper"))
`,
  ".gitignore": "__pycache__/\n*.pyc\n.venv/\n",
};

export const FIXED_TRANSFER = {
  replace: "bank/account.py",
  from: "def transfer(source, target, amount):\n",
  to: `def transfer(source, target, amount):
    if amount > source.balance:
        raise NotEnough(f"{source.owner} has {source.balance}")
`,
};
