import { Table } from "../parts.tsx";
import type { RunDetail } from "./night-api.ts";
import { costText, moneyText, tokensText } from "./words.ts";

type Classes = { input: number; cacheRead: number; cacheWrite: number; output: number };

const isClasses = (value: unknown): value is Classes =>
  typeof value === "object" && value !== null && "input" in value && "output" in value;

const CLASSES: [keyof Classes, string][] = [
  ["input", "Input"],
  ["cacheRead", "From cache"],
  ["cacheWrite", "To cache"],
  ["output", "Output"],
];

/** What each session used, by class: the newest figure that its agent gave. */
const spentBySession = ({ run, events }: RunDetail) =>
  run.sessions.map((session) => {
    const told = events.findLast(
      ({ session: number, data }) => number === session.number && isClasses(data["tokensByClass"]),
    )?.data["tokensByClass"];
    return { session, classes: isClasses(told) ? told : undefined };
  });

export const Spending = ({ detail }: { detail: RunDetail }) => {
  const rows = spentBySession(detail);
  if (rows.every(({ classes, session }) => classes === undefined && session.costUsd === undefined))
    return null;
  const columns = rows.some(({ classes }) => classes) ? CLASSES : [];
  const titles = columns.map(([, title]) => title);
  const total = (name: keyof Classes) => rows.reduce((sum, { classes }) => sum + (classes?.[name] ?? 0), 0);
  return (
    <section class="stack" aria-labelledby="spending-title">
      <h2 id="spending-title">Tokens and cost</h2>
      <Table
        caption="Tokens and cost of each session"
        columns={["Session", ...titles, "Cost"]}
        numbers={[...titles, "Cost"]}
      >
        <tbody>
          {rows.map(({ session, classes }) => (
            <tr key={session.number}>
              <th scope="row">{session.number}</th>
              {columns.map(([name, title]) => (
                <td key={name} class="number" data-label={title}>
                  {classes ? tokensText(classes[name] ?? 0) : "–"}
                </td>
              ))}
              <td class="number" data-label="Cost">
                {session.costUsd === undefined
                  ? session.isUnpriced
                    ? "unknown"
                    : "–"
                  : moneyText(session.costUsd)}
              </td>
            </tr>
          ))}
        </tbody>
        {rows.length > 1 && (
          <tfoot>
            <tr>
              <th scope="row">All</th>
              {columns.map(([name, title]) => (
                <td key={name} class="number" data-label={title}>
                  {tokensText(total(name))}
                </td>
              ))}
              <td class="number" data-label="Cost">
                {costText(detail.run)}
              </td>
            </tr>
          </tfoot>
        )}
      </Table>
    </section>
  );
};
