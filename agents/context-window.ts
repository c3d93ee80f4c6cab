/** Context windows by model name where neither the store nor the user says it; tokens. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/\[1m\]/i, 1_000_000],
  [/claude|opus|sonnet|haiku/i, 200_000],
  [/gpt-4\.1/i, 1_047_576],
  [/gpt-4o/i, 128_000],
  [/gpt-5|codex/i, 272_000],
  [/gemma/i, 256_000],
  [/gemini/i, 1_048_576],
  [/predictable/i, 200_000],
];

export const findWindow = (model: string | undefined): number | undefined =>
  model === undefined ? undefined : WINDOWS.find(([pattern]) => pattern.test(model))?.[1];
