import { AppError } from "../../core/errors.ts";

/** How many bytes sites may keep: one of them, and all together. */
export type Quota = { siteBytes: number; allBytes: number };

/** What would be kept with the files that are asked for, each file's bytes counted once. */
export type Kept = Quota;

const MIB = 1024 * 1024;

const inMib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

/** @throws AppError `storage-full` that says which limit is reached and what makes room */
export const checkQuota = (site: string, kept: Kept, quota: Quota): void => {
  if (kept.siteBytes > quota.siteBytes)
    throw new AppError(
      "storage-full",
      `The site ${site} would keep ${inMib(kept.siteBytes)}; its limit is ${inMib(quota.siteBytes)}. Delete or unpin deployments of it, or raise SITE_QUOTA_MIB`,
      { details: { limit: quota.siteBytes, value: kept.siteBytes } },
    );
  if (kept.allBytes > quota.allBytes)
    throw new AppError(
      "storage-full",
      `All sites together would keep more than the server's limit of ${inMib(quota.allBytes)}. Delete deployments that nobody needs, or raise STORAGE_QUOTA_MIB`,
      { details: { limit: quota.allBytes } },
    );
};
