export type Encoding = "br" | "gzip";

/** Weight a client gives a coding, by RFC 9110 12.5.3; `*` stands for what is not named. */
const readWeights = (header: string): Map<string, number> => {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [coding = "", ...params] = part.split(";").map((text) => text.trim());
    const q = params.find((param) => param.startsWith("q="));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    if (coding) weights.set(coding === "x-gzip" ? "gzip" : coding, Number.isNaN(weight) ? 0 : weight);
  }
  return weights;
};

const choose = (header: string): Encoding[] => {
  const weights = readWeights(header);
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get("*") ?? 0;
  const identity = weights.get("identity") ?? 0;
  return (["br", "gzip"] as const)
    .filter((coding) => weightOf(coding) > 0 && weightOf(coding) >= identity)
    .sort((a, b) => weightOf(b) - weightOf(a));
};

const known = new Map<string, Encoding[]>();

/**
 * Codings the client takes, best first; identity is always the fallback. Browsers send the same few
 * headers for ever, so answers are remembered (bounded, because anybody may send anything).
 */
export const acceptedEncodings = (header: string | undefined): readonly Encoding[] => {
  if (!header) return [];
  const cached = known.get(header);
  if (cached) return cached;
  const chosen = choose(header.slice(0, 400));
  if (known.size >= 200) known.clear();
  known.set(header, chosen);
  return chosen;
};
