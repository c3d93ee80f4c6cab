import type { Changes } from "./api.ts";
import { countText } from "./format.ts";

const Paths = ({ title, mark, paths }: { title: string; mark: string; paths: string[] }) =>
  paths.length === 0 ? null : (
    <details open={paths.length <= 8}>
      <summary>
        {title} <span class="count">{paths.length}</span>
      </summary>
      <ul class={`paths ${mark}`}>
        {paths.map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
    </details>
  );

/** "2 files added, 1 changed.": what there is none of goes without saying. */
const summaryOf = ({ added, changed, removed, unchanged }: Changes): string => {
  const parts = [
    [added.length, "added"],
    [changed.length, "changed"],
    [removed.length, "removed"],
  ] as const;
  const said = parts.filter(([count]) => count > 0);
  if (said.length === 0) return `No changes: the same ${countText(unchanged, "file")}.`;
  const text = said.map(([count, verb], index) =>
    index === 0 ? `${countText(count, "file")} ${verb}` : `${count} ${verb}`,
  );
  return `${text.join(", ")}${unchanged === 0 ? "" : `, ${unchanged} unchanged`}.`;
};

/** What putting files live changes, in numbers first and by name after. */
export const ChangeList = ({ changes }: { changes: Changes }) => (
  <div class="changes">
    <p>{summaryOf(changes)}</p>
    <Paths title="Added" mark="added" paths={changes.added} />
    <Paths title="Changed" mark="changed" paths={changes.changed} />
    <Paths title="Removed" mark="removed" paths={changes.removed} />
  </div>
);
