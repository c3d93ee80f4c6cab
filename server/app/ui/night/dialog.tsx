import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Failure } from "../parts.tsx";

/** Asks before something is sent, with what it takes. */
export const Dialog = ({
  title,
  action,
  tone,
  dismiss = "Cancel",
  children,
  onSend,
  onClose,
}: {
  title: string;
  action: string;
  tone?: string;
  /** on the button that sends nothing */
  dismiss?: string;
  children: ComponentChildren;
  onSend: (form: FormData) => Promise<void>;
  onClose: () => void;
}) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState<unknown>();
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      await onSend(new FormData(event.currentTarget as HTMLFormElement));
      dialog.current?.close();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <form onSubmit={(event) => void send(event)}>
        <h2 id={id}>{title}</h2>
        {children}
        <Failure error={error} />
        <div class="row end">
          <button type="button" onClick={() => dialog.current?.close()}>
            {dismiss}
          </button>
          <button type="submit" class={tone ?? "primary"}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
};

export const Field = ({
  name,
  label,
  hint,
  value,
  ...input
}: { name: string; label: string; hint?: string; value?: string } & Record<string, unknown>) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {/* Only what it begins with: news of the worker draw the dialog again while somebody writes in it. */}
      <input id={id} name={name} autocomplete="off" defaultValue={value} {...input} />
      {hint !== undefined && <p class="quiet hint">{hint}</p>}
    </div>
  );
};

export const Area = ({
  name,
  label,
  required,
  value,
}: {
  name: string;
  label: string;
  required?: boolean;
  value?: string;
}) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea id={id} name={name} rows={4} required={required ?? false} defaultValue={value ?? ""} />
    </div>
  );
};
