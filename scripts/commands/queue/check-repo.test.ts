import { expect, test } from "vitest";
import { checkRepo } from "./check-repo.ts";

test.each([
  "https://git.example/team/atlas.git",
  "http://git.example/atlas",
  "ssh://git@git.example:2222/atlas.git",
  "git://git.example/atlas.git",
  "file:///srv/git/atlas.git",
  "git@git.example:team/atlas.git",
  "git.example:atlas.git",
  "/srv/git/atlas.git",
])("takes %s", (repo) => {
  expect(checkRepo(repo)).toBe(repo);
});

test.each([
  "ext::sh -c touch% /tmp/owned",
  "fd::17/atlas",
  "https::git.example/atlas",
  "ftp://git.example/atlas.git",
  "javascript://git.example/atlas.git",
])("refuses %s, whose transport could start a program, and names those it takes", (repo) => {
  expect(() => checkRepo(repo)).toThrow(/pools do not clone over .*use https:\/\/, ssh:\/\//);
});

test.each(["atlas", "../atlas", "-oProxyCommand=x:y", "https://", ""])(
  "refuses %j, which is no address of another machine",
  (repo) => {
    expect(() => checkRepo(repo)).toThrow("use https://, ssh://");
  },
);

test("never repeats an address with a password in it", () => {
  expect(() => checkRepo("ext::https://me:secret99@git.example/a")).toThrow(/^(?!.*secret99).*password/);
});
