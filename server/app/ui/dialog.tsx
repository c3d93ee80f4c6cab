import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Field, Form } from "./fields.tsx";
import { Button, Failure } from "./parts.tsx";
import { useWork } from "./use-work.ts";

type Props = {
  title: string;
  action: string;
  tone?: "primary" | "danger" | undefined;
  /** on the button that sends nothing */
  dismiss?: string;
  /** what has to be typed first, for what is gone for good */
  name?: string;
  children: ComponentChildren;
  onSend: (form: FormData) => Promise<unknown>;
  onClose: () => void;
};

/** Asks before something is done, with what it takes. */
export const Dialog = ({ title, action, tone = "primary", dismiss = "Cancel", name, ...rest }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const { error, run } = useWork();
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const send = async (form: HTMLFormElement) => {
    if (await run(() => rest.onSend(new FormData(form)))) dialog.current?.close();
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={rest.onClose}>
      <Form onSend={send}>
        <h2 id={id}>{title}</h2>
        {rest.children}
        {name !== undefined && (
          <Field
            label={
              <>
                Type <strong>{name}</strong> to confirm
              </>
            }
            value={typed}
            autocapitalize="none"
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <Failure error={error} />
        <div class="row end">
          <Button text={dismiss} onClick={() => dialog.current?.close()} />
          <button type="submit" class={tone} disabled={name !== undefined && typed !== name}>
            {action}
          </button>
        </div>
      </Form>
    </dialog>
  );
};
