import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const readIfFile = (path: string): { bytes: Buffer; mode: number } | undefined => {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? { bytes: readFileSync(path), mode: stat.mode } : undefined;
};

const put = (path: string, file: { bytes: Buffer; mode: number } | undefined): void => {
  rmSync(path, { force: true });
  if (!file) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, file.bytes, { mode: file.mode });
};

/** Does something in `into` with some files as they are in `from` (or are not there), and puts its own back. */
export const withFilesOf = async <Result>(
  { from, into, files }: { from: string; into: string; files: readonly string[] },
  act: () => Promise<Result>,
): Promise<Result> => {
  const own = files.map((file) => [file, readIfFile(join(into, file))] as const);
  try {
    for (const file of files) put(join(into, file), readIfFile(join(from, file)));
    return await act();
  } finally {
    for (const [file, kept] of own) put(join(into, file), kept);
  }
};
