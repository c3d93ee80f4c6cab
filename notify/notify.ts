import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { errorText } from "../core/errors.ts";
import type { Environment } from "../core/paths.ts";
import { redactSecrets } from "../core/redaction.ts";
import { notifyFile } from "./notify-file.ts";
import type { Happening } from "../core/happenings.ts";
import type { Notice } from "./notice.ts";
import { outboxFolder, putNotice } from "./outbox.ts";
import { startSender } from "./start-sender.ts";

/** What a project's config says of its notices. The channels themselves are the user's. */
export type ProjectNotices = { on?: readonly Happening[]; channels?: readonly string[] };

export type NotifyPorts = {
  /** what the process that sends is started with (default: ours) */
  env?: Environment;
  /** the user's `~/.nightshift` */
  home: string;
  now: () => number;
  onProblem: (problem: string) => void;
  /** starts the process that sends; tests put their own in its place */
  start?: typeof startSender;
};

export type NewNotice = Omit<Notice, "id" | "at" | "channels">;

/**
 * Tells this user of something: the notice is on the disk when this returns, and sent by a process of its own. Does
 * nothing for a user without channels (`~/.nightshift/notify.json`).
 */
export const createNotify = (
  { env, home, now, onProblem, start = startSender }: NotifyPorts,
  { on, channels }: ProjectNotices = {},
): ((notice: NewNotice) => void) => {
  return (notice) => {
    if (on && !on.includes(notice.happening)) return;
    if (!existsSync(notifyFile(home))) return;
    try {
      putNotice(outboxFolder(home), {
        ...notice,
        title: redactSecrets(notice.title),
        text: redactSecrets(notice.text),
        id: randomUUID(),
        at: new Date(now()).toISOString(),
        ...(channels === undefined ? {} : { channels }),
      });
      start(home, env);
    } catch (error) {
      onProblem(`no notification was sent (${notice.happening}): ${errorText(error)}`);
    }
  };
};
