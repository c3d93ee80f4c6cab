#!/usr/bin/env node
// The process that sends notices: started by whoever has one to tell, it ends when nothing waits any more.
import { systemClock } from "../core/clock.ts";
import { tryLock } from "../core/file-lock.ts";
import { nightshiftHome } from "../core/paths.ts";
import { listWaiting, outboxFolder, sweepOutbox } from "../notify/outbox.ts";
import { sendNotices } from "../notify/send-notices.ts";
import { readNotifySettings } from "../notify/settings.ts";
import { openPush } from "./command/open-push.ts";
import { senderLock } from "../notify/start-sender.ts";

const home = process.argv[2] ?? nightshiftHome(process.env);
const folder = outboxFolder(home);
// Whoever comes while we hold the lock leaves it to us: so what came in the moment before we let go is looked for again.
while (listWaiting(folder).length > 0) {
  const { lock } = tryLock(senderLock(home), { label: "the sender of notices" });
  if (!lock) break;
  try {
    sweepOutbox(folder);
    const settings = readNotifySettings(home);
    if (!settings) break;
    await sendNotices(
      { clock: systemClock, fetch, openPush: openPush({ home, env: process.env }) },
      folder,
      settings,
    );
  } finally {
    lock.release();
  }
}
process.exit();
