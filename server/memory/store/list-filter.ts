import type { ListFilter } from "./store.ts";

/** What a list is narrowed to beside what its reader may see: conditions with `?` for the value of each. */
export const conditionsOf = (
  filter: Omit<ListFilter, "visibility"> & { id?: string },
): [sql: string, value: string | number][] => {
  const all: [string, string | number | undefined][] = [
    ["id = ?", filter.id],
    ["type = ?", filter.type],
    ["project = ?", filter.project],
    ["marker = ?", filter.marker],
    ["writer = ?", filter.writer],
    ["confidence < ?", filter.confidenceBelow],
    ["verified_at < ?", filter.verifiedBefore],
  ];
  return all.filter((one): one is [string, string | number] => one[1] !== undefined);
};
