import { AppError } from "../../core/errors.ts";

/** Who uses the memory, and what they may do there. */
export type Access = {
  writer: string;
  scopes: readonly string[] | "all";
  level: "none" | "read" | "write" | "admin";
  /** nobody with a key */
  isAnonymous?: boolean;
};

export const SHARED_SCOPE = "shared";

/**
 * The scopes a read looks at: those asked for, else what the caller has, else `shared`.
 * @throws AppError `forbidden` for one that the caller may not see
 */
export const readableScopes = (
  access: Access,
  asked: readonly string[] | undefined,
): readonly string[] | "all" => {
  if (asked === undefined) return access.scopes === "all" ? [SHARED_SCOPE] : access.scopes;
  for (const scope of asked) requireScope(access, scope);
  return asked;
};

/** The scope a write goes to: the one asked for, else `shared`, else the only one the key has. */
export const writableScope = (access: Access, asked: string | undefined): string => {
  const [only] =
    access.scopes === "all"
      ? [SHARED_SCOPE]
      : access.scopes.includes(SHARED_SCOPE)
        ? [SHARED_SCOPE]
        : access.scopes;
  const scope = asked ?? only ?? SHARED_SCOPE;
  requireScope(access, scope);
  return scope;
};

export const maySee = ({ scopes }: Access, scope: string): boolean =>
  scopes === "all" || scopes.includes(scope);

/** @throws AppError `forbidden` for a scope that the caller may not see */
export const requireScope = (access: Access, scope: string): void => {
  if (!maySee(access, scope))
    throw new AppError("forbidden", `The key of "${access.writer}" has no access to the scope "${scope}"`);
};
