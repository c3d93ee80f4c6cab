import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { errorText } from "../../core/errors.ts";
import { Type } from "../../core/schema.ts";
import { SendFailure, defineChannel } from "./channel.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 10_000;
/** Its arguments are what is shown: nothing of a message is ever part of the script. */
const SCRIPT = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run";

const escapeMarkup = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A bubble on this machine's own screen: `notify-send` on Linux, `osascript` on macOS (not tried there). */
export const desktop = defineChannel({
  schema: Type.Object({}, { additionalProperties: false }),
  send: async (_, { title, text, isUrgent }) => {
    const [program, args] =
      process.platform === "darwin"
        ? ["osascript", ["-e", SCRIPT, title, text]]
        : [
            "notify-send",
            [
              "--app-name=Nightshift",
              `--urgency=${isUrgent ? "critical" : "normal"}`,
              "--",
              title,
              escapeMarkup(text),
            ],
          ];
    try {
      await run(program, args, { timeout: TIMEOUT_MS });
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
      throw new SendFailure(isMissing ? `there is no ${program} on this machine` : errorText(error), {
        isFinal: true, // a screen that is not there now is not looked at in an hour either
      });
    }
  },
});
