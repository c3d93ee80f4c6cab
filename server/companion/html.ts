import { escapeHtml } from "../../core/escape-html.ts";
import { replaceUnseen } from "../../core/visible-text.ts";

/** Text that is HTML already; everything else is escaped when it goes into a page. */
export type Html = { readonly text: string };

type Part = string | number | Html | readonly Html[] | undefined | false;

const toMarkup = (part: Part): string => {
  if (part === undefined || part === false) return "";
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return "text" in part ? part.text : part.map(({ text }) => text).join("");
};

/** Builds HTML from a template; values can never become markup by accident. */
export const markup = (texts: TemplateStringsArray, ...parts: Part[]): Html => ({
  text: texts.reduce((whole, text, index) => whole + toMarkup(parts[index - 1]) + text),
});

/** Text of an API description: what stands between backticks becomes code. */
export const withCode = (text: string): Html => {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return markup`${text}`;
  return {
    text: parts
      .map((part, at) => (at % 2 === 1 ? markup`<code>${part}</code>` : markup`${part}`).text)
      .join(""),
  };
};

/** What a person could not see, or would see in another order, written out: `⟦U+202E⟧`. */
export const showHidden = (text: string): string =>
  replaceUnseen(
    text,
    (unseen) => `⟦U+${(unseen.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟧`,
  );
