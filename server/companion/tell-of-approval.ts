import type { Log } from "../../core/log.ts";
import { createNotify } from "../../notify/notify.ts";
import type { Settings } from "../settings.ts";
import type { Approval } from "../auth/approvals/approval.ts";
import { BASE_PATH } from "./layout.ts";

type About = { settings: Pick<Settings, "home" | "publicUrl">; log: Log; now: () => number; url: string };

/** Tells the person whose server this is that an agent's change waits for them. */
export const tellOfApproval = ({ settings, log, now, url }: About, approval: Approval): void => {
  const { home, publicUrl } = settings;
  const onProblem = (problem: string) => log.warn({ approval: approval.id }, problem);
  createNotify({ home, now, onProblem })({
    happening: "needs-approval",
    title: `${approval.askedBy} asks to ${approval.tool}`,
    text: `${approval.method} ${approval.target} waits for you until ${new Date(approval.expiresAt).toISOString()}.`,
    url: `${publicUrl ?? url}${BASE_PATH}/approvals/${approval.id}`,
  });
};
