import type {
  ComponentChildren,
  FormHTMLAttributes,
  InputHTMLAttributes,
  TextareaHTMLAttributes,
} from "preact";
import { useId } from "preact/hooks";

type Labelled = { label: ComponentChildren; class?: string };

type FormProps = Omit<FormHTMLAttributes, "onSubmit"> & { onSend: (form: HTMLFormElement) => unknown };

/** A form that the page itself takes in. */
export const Form = ({ onSend, ...form }: FormProps) => (
  <form
    {...form}
    onSubmit={(event) => {
      event.preventDefault();
      void onSend(event.currentTarget);
    }}
  />
);

/** An input with its label. @param hint stands behind the label, in quieter letters */
export const Field = ({
  label,
  hint,
  class: more = "",
  ...input
}: Labelled & { hint?: string } & InputHTMLAttributes) => {
  const id = useId();
  return (
    <div class={`field ${more}`}>
      <label for={id}>
        {label}
        {hint !== undefined && <span class="quiet"> ({hint})</span>}
      </label>
      <input id={id} autocomplete="off" {...input} />
    </div>
  );
};

type SecretProps = Labelled & { hint?: string; value: string; onChange: (secret: string) => void };

/** A token's secret, which password managers keep as a password. */
export const SecretField = ({ onChange, ...field }: SecretProps) => (
  <Field
    {...field}
    type="password"
    autocomplete="current-password"
    spellcheck={false}
    required
    onInput={(event) => onChange(event.currentTarget.value)}
  />
);

export const Area = ({ label, ...input }: Labelled & TextareaHTMLAttributes) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea id={id} rows={4} {...input} />
    </div>
  );
};

export type Option = { value: string; text: string; disabled?: boolean };

export const Select = ({
  label,
  class: more = "",
  value,
  options,
  onChange,
}: Labelled & { value: string; options: readonly Option[]; onChange: (value: string) => void }) => {
  const id = useId();
  return (
    <div class={`field ${more}`}>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(({ text, ...option }) => (
          <option key={option.value} {...option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
};
