import { AppError } from "./errors.ts";

// One DNS label; "--" is kept out because previews are named <deployment>--<site>.
const SITE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const RESERVED = new Set(["www", "app", "api", "admin"]);

/** Why a text cannot name a site, or undefined when it can. */
export const siteNameFault = (name: string): string | undefined => {
  if (!SITE_NAME.test(name))
    return "a site name is 1 to 63 lowercase letters, digits and hyphens, and starts and ends with a letter or digit";
  if (name.includes("--")) return 'a site name cannot hold "--": previews are named <deployment>--<site>';
  if (RESERVED.has(name)) return `"${name}" is reserved; reserved are ${[...RESERVED].join(", ")}`;
  return undefined;
};

/** The canonical site name (trimmed, lowercase). Throws `bad-data` naming the rule that is broken. */
export const parseSiteName = (text: string): string => {
  const name = text.trim().toLowerCase();
  const fault = siteNameFault(name);
  if (fault) {
    throw new AppError("bad-data", `Invalid site name "${text.slice(0, 80)}": ${fault}`, {
      faults: [{ path: "/name", message: fault }],
    });
  }
  return name;
};
