import { Field, Select } from "../fields.tsx";
import type { Overview } from "./night-api.ts";
import { capitalized } from "./words.ts";

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

const CHOICES = ["project", "host", "status"] as const;

export const Filters = ({
  night,
  filter,
  onChange,
}: {
  night: Overview;
  filter: Filter;
  onChange: (filter: Filter) => void;
}) => {
  const set = (name: keyof Filter, value: string) => {
    const { [name]: _, ...rest } = filter;
    onChange(value === "" ? rest : { ...rest, [name]: value });
  };
  const known = { project: night.projects, host: night.hosts, status: STATES };
  return (
    <div class="filters">
      {CHOICES.map((name) => (
        <Select
          key={name}
          label={capitalized(name)}
          value={filter[name] ?? ""}
          options={[{ value: "", text: "All" }, ...known[name].map((value) => ({ value, text: value }))]}
          onChange={(value) => set(name, value)}
        />
      ))}
      <Field
        label="Day"
        type="date"
        value={filter.day ?? ""}
        onChange={(event) => set("day", event.currentTarget.value)}
      />
    </div>
  );
};
