import { expect, test } from "vitest";
import { isImmutablePath } from "./cache-control.ts";

test.each([
  "assets/index-BQ3x8k1Z.js",
  "_next/static/chunks/main-4d2f0b9c8e1a7f35.js",
  "static/js/main.5f3a9c1e.js",
  "assets/Inter-Bold-DxT2k9Qp.woff2",
  "_app/immutable/entry/app.Cq1Zk9xR.js",
])("takes %s as named by its content", (path) => {
  expect(isImmutablePath(path)).toBe(true);
});

test.each([
  "index.html",
  "app-BQ3x8k1Z.js",
  "assets/app.js",
  "assets/app-component.js",
  "assets/jquery-3.7.1.min.js",
  "assets/report-20261120.pdf",
  "assets/bootstrap-components.css",
  "assets/page-BQ3x8k1Z.html",
])("does not take %s as named by its content", (path) => {
  expect(isImmutablePath(path)).toBe(false);
});
