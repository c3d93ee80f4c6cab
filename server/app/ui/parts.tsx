import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "./api.ts";
import { exactTime, timeText } from "./format.ts";
import { goTo } from "./router.ts";

/** A link inside the application: no reload, but a real link for a new tab. */
export const Link = ({
  to,
  children,
  ...rest
}: {
  to: string;
  children: ComponentChildren;
  class?: string;
  "aria-current"?: "page" | "true" | undefined;
}) => (
  <a
    href={to}
    {...rest}
    onClick={(event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      goTo(to);
    }}
  >
    {children}
  </a>
);

type ButtonProps = Omit<ButtonHTMLAttributes, "onClick" | "type"> & {
  text: string;
  /** what tells it from the same button beside another thing, for those who hear it */
  of?: string;
  onClick: () => unknown;
};

/** A button that does something here and sends no form. */
export const Button = ({ text, of, onClick, ...rest }: ButtonProps) => (
  <button type="button" {...rest} onClick={() => void onClick()}>
    {text}
    {of !== undefined && <span class="sr">{of}</span>}
  </button>
);

/** The page's heading: takes the focus when one arrives, so that a screen reader says where one is. */
export const PageTitle = ({ children, title }: { children: ComponentChildren; title: string }) => {
  const heading = useRef<HTMLHeadingElement>(null);
  // Before it is painted: whoever sees the page can go on by keyboard from its heading.
  useLayoutEffect(() => {
    document.title = `${title} · Nightshift`;
    heading.current?.focus();
  }, [title]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
};

export const Time = ({ iso }: { iso: string }) => (
  <time dateTime={iso} title={exactTime(iso)}>
    {timeText(iso)}
  </time>
);

/** A failure in words, with every fault; announced when it appears. */
export const Failure = ({ error }: { error: unknown }) => {
  if (error === undefined) return null;
  const message = error instanceof Error ? error.message : "Something went wrong";
  const faults = error instanceof ApiError && error.faults.length > 1 ? error.faults : [];
  return (
    <div class="notice bad" role="alert">
      <p>{message}</p>
      {faults.length > 0 && (
        <ul>
          {faults.slice(0, 20).map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
          {faults.length > 20 && <li>and {faults.length - 20} more</li>}
        </ul>
      )}
    </div>
  );
};

/** Measured progress, with its words. */
export const Meter = ({
  label,
  done,
  total,
  detail,
}: {
  label: string;
  done: number;
  total: number;
  detail: string;
}) => {
  const id = useId();
  return (
    <div class="meter">
      <label for={id}>{label}</label>
      <progress id={id} value={total === 0 ? 1 : done} max={total === 0 ? 1 : total} />
      <span class="quiet">{detail}</span>
    </div>
  );
};

/** A command, ready to copy. */
export const Command = ({ text, label = "Copy" }: { text: string; label?: string }) => {
  const [copied, setCopied] = useState(false);
  const code = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // Over plain http there is no clipboard; the old command copies what is selected, and else it is one key away.
      if (code.current) getSelection()?.selectAllChildren(code.current);
      setCopied(document.execCommand("copy"));
    }
  };
  return (
    <div class="command">
      <code ref={code}>{text}</code>
      <Button text={copied ? "Copied" : label} class="small" onClick={copy} />
      <span class="sr" role="status">
        {copied ? "Copied" : ""}
      </span>
    </div>
  );
};

/** A table whose rows are cards on a phone; a column without a name holds buttons. */
export const Table = ({
  caption,
  columns,
  numbers = [],
  class: name,
  children,
}: {
  caption: string;
  columns: readonly string[];
  /** the columns that hold numbers */
  numbers?: readonly string[];
  class?: string;
  children: ComponentChildren;
}) => (
  <table class={name}>
    <caption class="sr">{caption}</caption>
    <thead>
      <tr>
        {columns.map((column) =>
          column === "" ? (
            <td key={column} />
          ) : (
            <th key={column} scope="col" class={numbers.includes(column) ? "number" : undefined}>
              {column}
            </th>
          ),
        )}
      </tr>
    </thead>
    {children}
  </table>
);
