import { parse } from "diff2html/lib-esm/diff-parser.js";
import { type DiffBlock, type DiffFile, type DiffLine, LineType } from "diff2html/lib-esm/types.js";
import { diffWordsWithSpace } from "diff";
import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { countText } from "../format.ts";

const WIDE = "(min-width: 900px)";
const WORDS_UP_TO = 500;

const useWide = (): boolean => {
  const [isWide, setWide] = useState(() => matchMedia(WIDE).matches);
  useEffect(() => {
    const query = matchMedia(WIDE);
    const onChange = () => setWide(query.matches);
    query.addEventListener("change", onChange);
    return () => query.removeEventListener("change", onChange);
  }, []);
  return isWide;
};

type Pair = { before?: DiffLine; after?: DiffLine };

/** Lines beside each other: what was taken out beside what came in its place. */
const pairsOf = ({ lines }: DiffBlock): Pair[] => {
  const pairs: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      const [before, after] = [removed[at], added[at]];
      pairs.push({ ...(before ? { before } : {}), ...(after ? { after } : {}) });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.type === LineType.DELETE) removed.push(line);
    else if (line.type === LineType.INSERT) added.push(line);
    else {
      flush();
      pairs.push({ before: line, after: line });
    }
  }
  flush();
  return pairs;
};

const textOf = ({ content }: DiffLine): string => content.slice(1);

/** A line's text; the words that changed stand out where there is another line to compare. */
const Text = ({ line, other }: { line: DiffLine; other: DiffLine | undefined }) => {
  const text = textOf(line);
  const isChanged = other !== undefined && other !== line && other.type !== line.type;
  if (!isChanged || text.length > WORDS_UP_TO || textOf(other).length > WORDS_UP_TO)
    return <>{text || " "}</>;
  const isAdded = line.type === LineType.INSERT;
  const parts = isAdded ? diffWordsWithSpace(textOf(other), text) : diffWordsWithSpace(text, textOf(other));
  const changed = parts.reduce(
    (sum, { value, added, removed }) => sum + (added || removed ? value.length : 0),
    0,
  );
  // Lines that have little in common are not the same line changed.
  if (changed > text.length) return <>{text}</>;
  return (
    <>
      {parts
        .filter(({ added, removed }) => (isAdded ? !removed : !added))
        .map(({ value, added, removed }, at) =>
          added || removed ? <mark key={at}>{value}</mark> : <Fragment key={at}>{value}</Fragment>,
        )}
    </>
  );
};

const KIND: Readonly<Record<string, string>> = { [LineType.DELETE]: "del", [LineType.INSERT]: "ins" };
const SIGN: Readonly<Record<string, string>> = { [LineType.DELETE]: "−", [LineType.INSERT]: "+" };
const WORD: Readonly<Record<string, string>> = {
  [LineType.DELETE]: "removed: ",
  [LineType.INSERT]: "added: ",
};

const Cell = ({
  line,
  other,
  number,
}: {
  line: DiffLine | undefined;
  other: DiffLine | undefined;
  number: number | undefined;
}) => (
  <>
    <td class={`line-number ${KIND[line?.type ?? ""] ?? ""} ${line ? "" : "void"}`}>{number}</td>
    <td class={`code ${KIND[line?.type ?? ""] ?? ""} ${line ? "" : "void"}`}>
      {line && (
        <>
          {WORD[line.type] !== undefined && <span class="sr">{WORD[line.type]}</span>}
          <span class="sign" aria-hidden="true">
            {SIGN[line.type] ?? " "}
          </span>
          <Text line={line} other={other} />
        </>
      )}
    </td>
  </>
);

const Beside = ({ block }: { block: DiffBlock }) => (
  <>
    {pairsOf(block).map(({ before, after }, at) => (
      <tr key={at}>
        <Cell line={before} other={after} number={before?.oldNumber} />
        <Cell line={after} other={before} number={after?.newNumber} />
      </tr>
    ))}
  </>
);

const Below = ({ block }: { block: DiffBlock }) => (
  <>
    {block.lines.map((line, at) => (
      <tr key={at}>
        <Cell line={line} other={undefined} number={line.newNumber ?? line.oldNumber} />
      </tr>
    ))}
  </>
);

const nameOf = ({ oldName, newName, isDeleted }: DiffFile): string => (isDeleted ? oldName : newName);

const whatOf = ({ isNew, isDeleted, isBinary }: DiffFile): string =>
  isNew ? "new" : isDeleted ? "deleted" : isBinary ? "binary" : "";

const File = ({ file, isWide, isOpen }: { file: DiffFile; isWide: boolean; isOpen: boolean }) => (
  <details class="diff-file" open={isOpen}>
    <summary>
      <code>{nameOf(file)}</code> {whatOf(file) !== "" && <span class="badge">{whatOf(file)}</span>}{" "}
      <span class="plus">+{file.addedLines}</span> <span class="minus">−{file.deletedLines}</span>
    </summary>
    <div class="diff-scroll" tabIndex={0} role="region" aria-label={`Changes of ${nameOf(file)}`}>
      <table class={isWide ? "diff beside" : "diff"}>
        <tbody>
          {file.blocks.map((block) => (
            <Fragment key={block.header}>
              <tr class="hunk">
                <td colSpan={isWide ? 4 : 2}>{block.header}</td>
              </tr>
              {isWide ? <Beside block={block} /> : <Below block={block} />}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);

const OPEN_FILES = 5;

/** A patch: side by side where there is room, one below the other on a phone. */
export const PatchView = ({ patch, leftOut }: { patch: string; leftOut: number }) => {
  const isWide = useWide();
  const files = parse(patch);
  return (
    <div class="stack tight">
      {files.map((file, at) => (
        <File key={`${file.oldName} ${file.newName}`} file={file} isWide={isWide} isOpen={at < OPEN_FILES} />
      ))}
      {leftOut > 0 && (
        <p class="quiet">
          {countText(leftOut, "file")} too large, or named like a secret, and not shown: see{" "}
          <code>worker diff</code>.
        </p>
      )}
    </div>
  );
};
