import type { ComponentChildren, InputHTMLAttributes, TextareaHTMLAttributes } from "preact";
import { useId } from "preact/hooks";

type Labelled = { label: ComponentChildren; class?: string };

export const Optional = () => <span class="quiet">(optional)</span>;

/** An input with its label. */
export const Field = ({ label, class: more = "", ...input }: Labelled & InputHTMLAttributes) => {
  const id = useId();
  return (
    <div class={`field ${more}`}>
      <label for={id}>{label}</label>
      <input id={id} autocomplete="off" {...input} />
    </div>
  );
};

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
