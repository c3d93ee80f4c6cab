import { useEffect, useState } from "preact/hooks";

/** Where one is: the part of the address behind `/app`. */
export type Place =
  | { page: "night" }
  | { page: "run"; id: string }
  | { page: "sites" }
  | { page: "site"; name: string }
  | { page: "memory" }
  | { page: "queue" }
  | { page: "tokens" }
  | { page: "security" }
  | { page: "nowhere" };

const PLAIN = ["tokens", "security", "memory", "queue"] as const;
const isPlain = (page: string): page is (typeof PLAIN)[number] => PLAIN.some((plain) => plain === page);

export const readPlace = (path: string): Place => {
  const [, , page, name] = path.replace(/\/$/, "").split("/");
  if (page === undefined || page === "") return { page: "night" };
  if (page === "night" && name !== undefined && /^[\w-]+$/.test(name)) return { page: "run", id: name };
  if (page === "sites" && name === undefined) return { page: "sites" };
  if (isPlain(page) && name === undefined) return { page };
  const site = page === "sites" && name !== undefined ? decoded(name) : undefined;
  return site === undefined ? { page: "nowhere" } : { page: "site", name: site };
};

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

export const sitePath = (name: string): string => `/app/sites/${encodeURIComponent(name)}`;

export const goTo = (path: string): void => {
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
};

/** The present place; changes with the address. */
export const usePlace = (): Place => {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => {
    const update = () => setPath(location.pathname);
    addEventListener("popstate", update);
    return () => removeEventListener("popstate", update);
  }, []);
  return readPlace(path);
};
