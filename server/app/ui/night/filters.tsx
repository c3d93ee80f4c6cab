import { useId } from "preact/hooks";
import type { Overview } from "./night-api.ts";

export type Filter = { project?: string; host?: string; status?: string; day?: string };

const STATES = [
  "running",
  "waiting",
  "complete",
  "unverified",
  "stopped",
  "max-reached",
  "stalled",
  "failed",
] as const;

/** The filter as the server reads it; a day is one of this place, not of Greenwich. */
export const filterQuery = ({
  day,
  ...rest
}: Filter): Omit<Filter, "day"> & { from?: string; to?: string } => {
  const from = day === undefined ? undefined : new Date(`${day}T00:00:00`);
  const to = from && new Date(from);
  to?.setDate(to.getDate() + 1);
  return from && to ? { ...rest, from: from.toISOString(), to: to.toISOString() } : rest;
};

type Choice = {
  label: string;
  value: string | undefined;
  options: readonly string[];
  onChange: (value: string | undefined) => void;
};

const Choose = ({ label, value, options, onChange }: Choice) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value ?? ""}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
      >
        <option value="">All</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </div>
  );
};

export const Filters = ({
  night,
  filter,
  onChange,
}: {
  night: Overview;
  filter: Filter;
  onChange: (filter: Filter) => void;
}) => {
  const id = useId();
  const set = (name: keyof Filter) => (value: string | undefined) => {
    const { [name]: _, ...rest } = filter;
    onChange(value === undefined ? rest : { ...rest, [name]: value });
  };
  return (
    <div class="filters">
      <Choose label="Project" value={filter.project} options={night.projects} onChange={set("project")} />
      <Choose label="Host" value={filter.host} options={night.hosts} onChange={set("host")} />
      <Choose label="Status" value={filter.status} options={STATES} onChange={set("status")} />
      <div class="field">
        <label for={id}>Day</label>
        <input
          id={id}
          type="date"
          value={filter.day ?? ""}
          onChange={(event) => set("day")(event.currentTarget.value || undefined)}
        />
      </div>
    </div>
  );
};
