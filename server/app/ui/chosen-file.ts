/** A file that was chosen or dropped, with its path in the site. */
export type ChosenFile = { path: string; file: File };
