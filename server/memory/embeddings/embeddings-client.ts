import { type Static, Type, TypeCompiler } from "../../../core/schema.ts";

/** Turns texts into vectors; undefined when the endpoint does not answer in time or is being left alone. */
export type Embed = (texts: readonly string[], timeoutMs: number) => Promise<Float32Array[] | undefined>;

export type EmbeddingsPorts = {
  fetch: typeof fetch;
  now: () => number;
  /** told once per change: whether the endpoint answers */
  onChange: (answers: boolean, why: string) => void;
};

const Answer = Type.Object({
  data: Type.Array(
    Type.Object({ index: Type.Integer({ minimum: 0 }), embedding: Type.Array(Type.Number()) }),
  ),
});
const checkAnswer = TypeCompiler.Compile(Answer);

const FAILURES_BEFORE_PAUSE = 3;
const PAUSE_MS = 30_000;
const MAX_CHARACTERS = 8000;

/**
 * A client of an OpenAI-compatible `/v1/embeddings` (OpenAI, Ollama, LM Studio, llama.cpp, vLLM). After three
 * failures in a row the endpoint is left alone for half a minute, so that it never slows the memory down.
 */
export const createEmbed = (
  { url, model, key }: { url: string; model: string; key: string | undefined },
  { fetch, now, onChange }: EmbeddingsPorts,
): Embed => {
  let failures = 0;
  let pausedUntil = 0;

  const ask = async (texts: readonly string[], timeoutMs: number): Promise<Float32Array[]> => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input: texts.map((text) => text.slice(0, MAX_CHARACTERS)) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    const answer: unknown = await response.json();
    if (!checkAnswer.Check(answer)) throw new Error("its answer is not one of an embeddings endpoint");
    return inOrder(answer, texts.length);
  };

  return async (texts, timeoutMs) => {
    if (now() < pausedUntil) return undefined;
    try {
      const vectors = await ask(texts, timeoutMs);
      if (failures >= FAILURES_BEFORE_PAUSE) onChange(true, "it answers again");
      failures = 0;
      return vectors;
    } catch (error) {
      failures += 1;
      if (failures >= FAILURES_BEFORE_PAUSE) pausedUntil = now() + PAUSE_MS;
      if (failures === FAILURES_BEFORE_PAUSE)
        onChange(false, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
};

const inOrder = ({ data }: Static<typeof Answer>, count: number): Float32Array[] => {
  const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]));
  return Array.from({ length: count }, (_, index) => {
    const embedding = byIndex.get(index);
    if (!embedding || embedding.length === 0) throw new Error(`it gave no vector for text ${index}`);
    return toUnitVector(embedding);
  });
};

const toUnitVector = (values: readonly number[]): Float32Array => {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => (length === 0 ? 0 : value / length));
};
