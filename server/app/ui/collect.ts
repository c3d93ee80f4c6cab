/** A file that was chosen or dropped, with its path in the site. */
export type ChosenFile = { path: string; file: File };

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

/** The files of an `<input webkitdirectory>`. */
export const fromInput = (list: FileList): Chosen =>
  relativeTo(Array.from(list, (file) => ({ path: file.webkitRelativePath || file.name, file })));

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

/** Everything that was dropped, folders with their whole tree. */
export const fromDrop = async (transfer: DataTransfer): Promise<Chosen> => {
  // The list empties itself once the event is over: take the entries first, read them after.
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry()).filter(
    (entry) => entry !== null,
  );
  const found: ChosenFile[] = [];
  for (const entry of entries) await walk(entry, found);
  return relativeTo(found);
};
