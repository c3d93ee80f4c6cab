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
  const total = (name: keyof Classes) => rows.reduce((sum, { classes }) => sum + (classes?.[name] ?? 0), 0);
  return (
    <section class="stack" aria-labelledby="spending-title">
      <h2 id="spending-title">Tokens and cost</h2>
      <table class="figures-table">
        <thead>
          <tr>
            <th scope="col">Session</th>
            {CLASSES.map(([name, title]) => (
              <th key={name} scope="col" class="number">
                {title}
              </th>
            ))}
            <th scope="col" class="number">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ session, classes }) => (
            <tr key={session.number}>
              <th scope="row">{session.number}</th>
              {CLASSES.map(([name, title]) => (
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
              {CLASSES.map(([name, title]) => (
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
      </table>
    </section>
  );
};
