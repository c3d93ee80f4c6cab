import { type FileDetails, type FileHead, NO_DETAILS } from "./file-head.ts";
import { headAt, loadDetails, type Manifest, readDetails, type StoredManifest } from "./manifest.ts";

/** Conversations by their number, as a query asks for them. */
export type Catalog = {
  conversations: number;
  head: (file: number) => FileHead | undefined;
  details: (file: number) => FileDetails;
};

export const catalogOf = (folder: string, manifest: Manifest): Catalog => {
  const heads = new Map([...manifest.files.values()].map((head) => [head.file, head]));
  return {
    conversations: heads.size,
    head: (file) => heads.get(file),
    details: (file) => {
      loadDetails(folder, manifest, [file]);
      return manifest.details.get(file) ?? NO_DETAILS;
    },
  };
};

/** Straight from the columns on disk: of thousands of conversations a query looks at a few. */
export const storedCatalog = (folder: string, stored: StoredManifest): Catalog => {
  const rows: number[] = [];
  for (let row = 0; row < stored.numbers.length; row += 1) rows[stored.numbers[row] as number] = row;
  const heads = new Map<number, FileHead>();
  const known = new Map<number, FileDetails>();
  return {
    conversations: stored.numbers.length,
    head: (file) => {
      const row = rows[file];
      if (row === undefined) return undefined;
      const head = heads.get(file) ?? headAt(stored, row);
      heads.set(file, head);
      return head;
    },
    details: (file) => {
      const row = rows[file];
      if (row === undefined) return NO_DETAILS;
      const details = known.get(file) ?? readDetails(folder, stored, row);
      known.set(file, details);
      return details;
    },
  };
};
