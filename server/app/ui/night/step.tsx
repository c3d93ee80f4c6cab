import type { ComponentChildren } from "preact";
import type { RunEvent } from "./night-api.ts";
import { clockText } from "./words.ts";

/** Something that happened in a session, with its time. */
export const Step = ({
  event,
  tone,
  children,
}: {
  event: RunEvent;
  tone?: string;
  children: ComponentChildren;
}) => (
  <li class={tone === undefined ? "step" : `step ${tone}`}>
    <time dateTime={event.at} class="quiet">
      {clockText(event.at)}
    </time>
    <div class="stack tight">{children}</div>
  </li>
);
