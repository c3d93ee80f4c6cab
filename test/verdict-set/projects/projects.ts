import type { Language } from "../scenario.ts";
import { GO } from "./go.ts";
import { JAVASCRIPT } from "./javascript.ts";
import { PYTHON } from "./python.ts";
import { RUST } from "./rust.ts";
import { TYPESCRIPT } from "./typescript.ts";

export const PROJECTS: Record<Language, Readonly<Record<string, string>>> = {
  javascript: JAVASCRIPT,
  typescript: TYPESCRIPT,
  python: PYTHON,
  go: GO,
  rust: RUST,
};
