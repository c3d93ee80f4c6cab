/** What a JSON text says; undefined where it is none (a program that was ended half-way wrote it). */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
