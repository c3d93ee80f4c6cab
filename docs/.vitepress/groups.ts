/** The pages in the order of a reader's way, each with a title short enough for a side bar. */
const GROUPS: readonly { text: string; pages: Readonly<Record<string, string>> }[] = [
  {
    text: "Start",
    pages: { index: "What it is", demo: "The demo", agents: "Coding agents", config: "The config" },
  },
  {
    text: "Run",
    pages: {
      workers: "Workers",
      night: "The Night page",
      steerer: "The steerer",
      cost: "Cost",
      notifications: "Notifications",
      mcp: "Tools for agents",
      sandbox: "The sandbox",
      network: "Network",
      conversations: "Conversations",
      tasks: "Task scripts",
      terminal: "In a terminal",
    },
  },
  {
    text: "Verify",
    pages: { gates: "Gates", verdict: "What DONE means", critic: "The critic", ci: "Gates in CI" },
  },
  { text: "Memory", pages: { memory: "How agents remember" } },
  {
    text: "Publish",
    pages: { publishing: "Sites", app: "In a browser", companion: "The companion", webmcp: "WebMCP tools" },
  },
  {
    text: "Operate",
    pages: {
      server: "The server",
      scale: "Many machines",
      migrate: "To PostgreSQL",
      security: "Trust and security",
      performance: "Performance",
    },
  },
  {
    text: "Reference",
    pages: {
      commands: "Commands",
      api: "Requests",
      "exit-codes": "Exit codes",
      architecture: "Architecture",
    },
  },
];

/** The side bar over the pages there are; one that is in no group yet stands at the end under its file's name. */
export const sideBar = (
  there: readonly string[],
): { text: string; items: { text: string; link: string }[] }[] => {
  const named = new Set(GROUPS.flatMap(({ pages }) => Object.keys(pages)));
  const rest = there.filter((page) => !named.has(page)).sort();
  const more = { text: "More", pages: Object.fromEntries(rest.map((page) => [page, page])) };
  return [...GROUPS, ...(rest.length === 0 ? [] : [more])].map(({ text, pages }) => ({
    text,
    items: Object.entries(pages).map(([page, title]) => ({
      text: title,
      link: page === "index" ? "/" : `/${page}`,
    })),
  }));
};
