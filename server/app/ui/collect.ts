import type { Limits } from "./api.ts";
import type { ChosenFile } from "./chosen-file.ts";

const isHidden = (path: string): boolean =>
  path
    .split("/")
    .some((segment, index) => segment.startsWith(".") && !(index === 0 && segment === ".well-known"));

/** A folder that was chosen: its own name where it has one, its files, and the hidden ones that are left out. */
export type Chosen = { name: string; files: ChosenFile[]; leftOut: string[] };

/** Drops the folder's own name, which every path of a chosen folder begins with, and hidden files. */
const relativeTo = (files: ChosenFile[]): Chosen => {
  const first = files[0]?.path.split("/")[0] ?? "";
  const isOneFolder = files.every(({ path }) => path.includes("/") && path.split("/")[0] === first);
  const inside = (
    isOneFolder ? files.map(({ path, file }) => ({ path: path.slice(path.indexOf("/") + 1), file })) : files
  ).map(({ path, file }) => ({ path: path.normalize("NFC"), file }));
  return {
    name: isOneFolder ? first : "",
    files: inside.filter(({ path }) => !isHidden(path)),
    leftOut: inside.filter(({ path }) => isHidden(path)).map(({ path }) => path),
  };
};

const withoutEnding = (name: string): string => name.replace(/\.zip$/i, "");

/** One zip alone stands for the folder that it holds. @throws Error in words for people */
const unpacked = async (files: ChosenFile[], limits: Limits): Promise<Chosen> => {
  const [only, other] = files;
  if (!only || other || !/\.zip$/i.test(only.path)) return relativeTo(files);
  // Few people have one: loaded when somebody does.
  const { unzip } = await import("./unzip.ts");
  const chosen = relativeTo(await unzip(only.file, limits));
  return { ...chosen, name: chosen.name === "" ? withoutEnding(only.file.name) : chosen.name };
};

/** The files of an `<input>`: of a folder, or a zip. @throws Error in words for people */
export const fromInput = (list: FileList, limits: Limits): Promise<Chosen> =>
  unpacked(
    Array.from(list, (file) => ({ path: file.webkitRelativePath || file.name, file })),
    limits,
  );

const readEntries = (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> =>
  new Promise((resolve, reject) => {
    reader.readEntries(resolve, reject);
  });

const readFile = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });

const walk = async (entry: FileSystemEntry, found: ChosenFile[]): Promise<void> => {
  if (entry.isFile) {
    found.push({
      path: entry.fullPath.replace(/^\//, ""),
      file: await readFile(entry as FileSystemFileEntry),
    });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // One call gives at most a hundred entries; an empty answer is the end.
  for (let entries = await readEntries(reader); entries.length > 0; entries = await readEntries(reader))
    for (const inner of entries) await walk(inner, found);
};

/** Everything that was dropped, folders with their whole tree. @throws Error in words for people */
export const fromDrop = async (transfer: DataTransfer, limits: Limits): Promise<Chosen> => {
  // The list empties itself once the event is over: take the entries first, read them after.
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry()).filter(
    (entry) => entry !== null,
  );
  const found: ChosenFile[] = [];
  for (const entry of entries) await walk(entry, found);
  return unpacked(found, limits);
};
