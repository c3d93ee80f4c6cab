import { statSync } from "node:fs";
import { listFaults } from "../core/config/config-faults.ts";
import { AppError } from "../core/errors.ts";
import { readFileIfThere } from "../core/read-file.ts";
import { type Static, Type } from "../core/schema.ts";
import { CHANNELS, type ChannelSettings } from "./channels/channels.ts";
import { notifyFile } from "./notify-file.ts";
import { HAPPENINGS, type Happening } from "../core/happenings.ts";

const Time = Type.String({
  pattern: "^([01]\\d|2[0-3]):[0-5]\\d$",
  description: "Time of day, 24 hours: 22:30",
});
const Happenings = Type.Array(Type.Union(HAPPENINGS.map((name) => Type.Literal(name))));

/** `~/.nightshift/notify.json` without its channels, whose kinds say what they need themselves. */
const FileSchema = Type.Object(
  {
    channels: Type.Record(
      Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$" }),
      Type.Object({ type: Type.Union(Object.keys(CHANNELS).map((name) => Type.Literal(name))) }),
      { additionalProperties: false },
    ),
    on: Type.Optional(Happenings),
    quietHours: Type.Optional(
      Type.Object(
        { from: Time, to: Time, except: Type.Optional(Happenings) },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

export type QuietHours = { from: string; to: string; except?: readonly Happening[] };

export type NotifySettings = {
  channels: Readonly<Record<string, ChannelSettings>>;
  /** what is told at all (default: everything) */
  on?: readonly Happening[];
  quietHours?: QuietHours;
};

const parse = (path: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("config", `${path} is not JSON: ${error instanceof Error ? error.message : ""}`, {
      cause: error,
    });
  }
};

const faultsOf = (value: unknown): { path: string; message: string }[] => {
  const faults = listFaults(FileSchema, value);
  if (faults.length > 0) return faults;
  const { channels } = value as Static<typeof FileSchema>;
  return Object.entries(channels).flatMap(([name, { type, ...settings }]) => {
    const kind = CHANNELS[type as keyof typeof CHANNELS];
    return listFaults(kind.schema, settings).map(({ path, message }) => ({
      path: `channels.${name}${path === "" ? "" : `.${path}`}`,
      message,
    }));
  });
};

/**
 * The channels of this user. They stand in a file of the user's alone: what a project's config names goes nowhere
 * that the user did not write down.
 * @returns undefined without such a file
 * @throws AppError `config` with every fault of it, or when others may read its secrets
 */
export const readNotifySettings = (home: string): NotifySettings | undefined => {
  const path = notifyFile(home);
  const text = readFileIfThere(path);
  if (text === undefined) return undefined;
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0)
    throw new AppError("config", `${path} holds secrets, and others may read it; run: chmod 600 ${path}`);
  const value = parse(path, text);
  const faults = faultsOf(value);
  if (faults.length === 0) return value as NotifySettings;
  const list = faults.map(({ path: at, message }) => `  ${at}: ${message}`).join("\n");
  throw new AppError("config", `${path} has faults:\n${list}`, { faults });
};
