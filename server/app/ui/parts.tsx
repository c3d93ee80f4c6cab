import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
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
      <button type="button" class="small" onClick={() => void copy()}>
        {copied ? "Copied" : label}
      </button>
      <span class="sr" role="status">
        {copied ? "Copied" : ""}
      </span>
    </div>
  );
};

type ConfirmProps = {
  title: string;
  /** what has to be typed first, for what is gone for good */
  name?: string;
  action: string;
  children: ComponentChildren;
  onConfirm: () => Promise<void>;
  onClose: () => void;
};

/** Asks before something ends; for its name where it is gone for good. */
export const Confirm = ({ title, name = "", action, children, onConfirm, onClose }: ConfirmProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<unknown>();
  const titleId = useId();
  const inputId = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const confirm = async (event: Event) => {
    event.preventDefault();
    try {
      await onConfirm();
      dialog.current?.close();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby={titleId} onClose={onClose}>
      <form onSubmit={(event) => void confirm(event)}>
        <h2 id={titleId}>{title}</h2>
        <p>{children}</p>
        {name !== "" && (
          <>
            <label for={inputId}>
              Type <strong>{name}</strong> to confirm
            </label>
            <input
              id={inputId}
              value={typed}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </>
        )}
        <Failure error={error} />
        <div class="row end">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="danger" disabled={typed !== name}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
};
