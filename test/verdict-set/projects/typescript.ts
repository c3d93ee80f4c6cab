/** A calendar: `workdays` counts Saturdays, and one test says so. Vitest is found above the project. */
export const TYPESCRIPT: Record<string, string> = {
  "package.json": `{
  "name": "calendar",
  "version": "1.0.0",
  "type": "module",
  "scripts": {
    "test": "vitest run"
  }
}
`,
  "gates/health.sh": `#!/bin/sh
set -e
cd "$(dirname "$0")/.."
npx vitest run
`,
  "vitest.config.ts": `import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    testTimeout: 5000,
    retry: 0,
    coverage: {
      thresholds: { lines: 90, branches: 85 },
    },
  },
});
`,
  "tsconfig.json": `{
  "compilerOptions": {
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler"
  }
}
`,
  "src/days.ts": `export type Day = { name: string; isFree: boolean };

const DAY_MS = 86_400_000;

export function workdays(from: Date, to: Date): number {
  let count = 0;
  for (let at = from.getTime(); at <= to.getTime(); at += DAY_MS) {
    const day = new Date(at).getUTCDay();
    if (day !== 0) count++;
  }
  return count;
}

export function addDays(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}

export function week(date: Date): Day[] {
  return ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"].map((name, index) => ({ name, isFree: index > 4 }));
}
`,
  "src/parse.ts": `export class DateError extends Error {}

export function parseDay(text: string): Date {
  const match = /^(\\d{4})-(\\d{2})-(\\d{2})$/.exec(text);
  if (!match) throw new DateError(\`no date: \${text}\`);
  return new Date(\`\${text}T00:00:00Z\`);
}
`,
  "src/holidays.ts": `export async function loadHolidays(year: number): Promise<string[]> {
  return [\`\${year}-01-01\`, \`\${year}-12-25\`];
}
`,
  "src/plan.ts": `import { loadHolidays } from "./holidays.ts";

export async function freeDays(year: number): Promise<number> {
  return (await loadHolidays(year)).length;
}
`,
  "tests/days.test.ts": `import { describe, expect, it, test } from "vitest";
import { addDays, week, workdays } from "../src/days.ts";
import { parseDay } from "../src/parse.ts";

describe("workdays", () => {
  it("counts from Monday to Friday", () => {
    expect(workdays(parseDay("2024-01-01"), parseDay("2024-01-05"))).toBe(5);
  });

  it("leaves out the weekend", () => {
    const count = workdays(parseDay("2024-01-01"), parseDay("2024-01-07"));
    expect(count).toBe(5);
    expect(workdays(parseDay("2024-01-06"), parseDay("2024-01-07"))).toBe(0);
  });
});

test.each([
  ["2024-02-28", 1, "2024-02-29"],
  ["2023-02-28", 1, "2023-03-01"],
  ["2024-12-31", 1, "2025-01-01"],
])("%s and %i day are %s", (from, days, to) => {
  expect(addDays(parseDay(from), days)).toEqual(parseDay(to));
});

test("shows a week", () => {
  expect(week(parseDay("2024-01-01"))).toMatchSnapshot();
});
`,
  "tests/__snapshots__/days.test.ts.snap": `// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html

exports[\`shows a week 1\`] = \`
[
  {
    "isFree": false,
    "name": "Mo",
  },
  {
    "isFree": false,
    "name": "Tu",
  },
  {
    "isFree": false,
    "name": "We",
  },
  {
    "isFree": false,
    "name": "Th",
  },
  {
    "isFree": false,
    "name": "Fr",
  },
  {
    "isFree": true,
    "name": "Sa",
  },
  {
    "isFree": true,
    "name": "Su",
  },
]
\`;
`,
  "tests/parse.test.ts": `import { expect, test } from "vitest";
import { DateError, parseDay } from "../src/parse.ts";

test("reads a day", () => {
  const day = parseDay("2024-03-09");
  expect(day.getUTCFullYear()).toBe(2024);
  expect(day.getUTCMonth()).toBe(2);
  expect(day.getUTCDate()).toBe(9);
});

test("refuses what is no day", () => {
  expect(() => parseDay("tomorrow")).toThrow(DateError);
  expect(() => parseDay("09.03.2024")).toThrow("no date: 09.03.2024");
});
`,
  "tests/plan.test.ts": `import { expect, test } from "vitest";
import { freeDays } from "../src/plan.ts";

test("knows how many days are free", async () => {
  await expect(freeDays(2024)).resolves.toBe(2);
});
`,
  ".gitignore": "node_modules\ncoverage\n",
};

export const FIXED_WORKDAYS = {
  replace: "src/days.ts",
  from: "if (day !== 0) count++;",
  to: "if (day !== 0 && day !== 6) count++;",
};
