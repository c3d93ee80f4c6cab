import { sep } from "node:path";

/** Whether a folder is another one or lies in it; both are real paths. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
