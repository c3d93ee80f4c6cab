import { expect, test } from "vitest";
import { acceptedEncodings } from "./encoding.ts";

test.each([
  [undefined, []],
  ["", []],
  ["gzip, deflate, br, zstd", ["br", "gzip"]],
  ["gzip", ["gzip"]],
  ["GZIP", ["gzip"]],
  ["x-gzip", ["gzip"]],
  ["br;q=0.1, gzip;q=0.9", ["gzip", "br"]],
  ["br;q=0, *", ["gzip"]],
  ["*;q=0", []],
  ["identity, br;q=0.5", []],
  ["br;q=nonsense", []],
  ["*", ["br", "gzip"]],
])("of %j takes %j", (header, expected) => {
  expect(acceptedEncodings(header)).toEqual(expected);
});
