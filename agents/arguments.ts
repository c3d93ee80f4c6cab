import type { SessionRequest } from "./driver.ts";
import { asText } from "./json.ts";

/** The model a session asks for; undefined: the agent's own choice. */
export const modelOf = ({
  model,
  settings,
}: Pick<SessionRequest, "model" | "settings">): string | undefined => model ?? settings.model;

/** What an agent may do without being asked, in its own words; undefined: all of it. */
export const permissionModeOf = ({ settings }: Pick<SessionRequest, "settings">): string | undefined =>
  asText(settings["permissionMode"]);

/** An option with its value; nothing where it has none. */
export const option = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [name, String(value)];
