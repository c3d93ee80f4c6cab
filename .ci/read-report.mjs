// Reads vitest's JSON report of one run: prints "<passed> <failed>", adds what failed to one file, and to another the
// name of each test and whether it ran.
import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";

const [report, failures, names] = process.argv.slice(2);
const { numPassedTests, numFailedTests, numFailedTestSuites, testResults } = JSON.parse(
  readFileSync(report, "utf8"),
);

for (const { name, status, message, assertionResults } of testResults) {
  const file = relative(".", name);
  const failed = assertionResults.filter((test) => test.status === "failed");
  for (const { fullName, failureMessages } of failed)
    appendFileSync(failures, `${file}: ${fullName}\n${failureMessages.join("\n").slice(0, 1500)}\n\n`);
  if (status === "failed" && failed.length === 0)
    appendFileSync(failures, `${file}: ${message.slice(0, 1500)}\n\n`);
  for (const test of assertionResults) {
    const didRun = test.status === "passed" || test.status === "failed";
    appendFileSync(names, `${JSON.stringify([`${file}: ${test.fullName}`, didRun])}\n`);
  }
}
console.log(`${numPassedTests} ${numFailedTests > 0 ? numFailedTests : numFailedTestSuites}`);
