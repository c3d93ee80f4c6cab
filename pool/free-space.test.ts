import { expect, test } from "vitest";
import { createShortageReport } from "./free-space.ts";

test("says once that there is too little room, however much it is, and once that there is enough again", () => {
  const told: string[] = [];
  const report = createShortageReport(({ message }) => told.push(message));
  for (const lack of [
    undefined,
    "10 MiB are free",
    "11 MiB are free",
    undefined,
    undefined,
    "9 MiB are free",
  ])
    report(lack);
  expect(told).toEqual([
    "10 MiB are free",
    "enough memory and disk are free again; taking tasks",
    "9 MiB are free",
  ]);
});
