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

/** What putting files live changes, in words first and by name after; `what` begins the sentence. */
export const ChangeList = ({ changes, what }: { changes: Changes; what: string }) => {
  const { added, changed, removed, unchanged } = changes;
  const total = added.length + changed.length + removed.length;
  if (total === 0)
    return (
      <p>
        {what} would change nothing: the same {countText(unchanged, "file")}.
      </p>
    );
  return (
    <div class="changes">
      <p>
        {what} changes {countText(total, "file")}; {unchanged} {unchanged === 1 ? "stays" : "stay"} as{" "}
        {unchanged === 1 ? "it is" : "they are"}.
      </p>
      <Paths title="Added" mark="added" paths={added} />
      <Paths title="Changed" mark="changed" paths={changed} />
      <Paths title="Removed" mark="removed" paths={removed} />
    </div>
  );
};
