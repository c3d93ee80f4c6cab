/**
 * Windows of Gemini CLI's models; it tells them nowhere, so this is its own table.
 * Source: google-gemini/gemini-cli, packages/core/src/core/tokenLimits.ts (0.61.0).
 */
const WINDOWS: Readonly<Record<string, number>> = {
  "gemma-4-31b-it": 256_000,
  "gemma-4-26b-a4b-it": 256_000,
};

const DEFAULT_WINDOW = 1_048_576;

export const geminiWindow = (model: string | undefined): number => WINDOWS[model ?? ""] ?? DEFAULT_WINDOW;
