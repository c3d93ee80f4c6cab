/** What goes wrong instead of (or in the middle of) a reply. */
export type ModelFault =
  /** HTTP 429, with the reset as the API that was asked tells it, or without one */
  | { kind: "rate-limit"; resetsAtMs?: number }
  /** any other HTTP error */
  | { kind: "status"; status: number; message: string }
  /** headers, then nothing, for ever */
  | { kind: "hang" }
  /** the connection breaks in the middle of the reply */
  | { kind: "disconnect" };

/** One reply of the model. A turn with `run` calls the agent's shell tool, whatever it is called there; once for each. */
export type ModelTurn = {
  text?: string;
  run?: string | readonly string[];
  /** the agent works on beside the commands, where its tool can do that (Claude Code's `run_in_background`) */
  isInBackground?: boolean;
  /** asks the user this with the agent's own tool for it */
  ask?: string;
  /** gives this prompt to a sub-agent of the agent's own */
  delegate?: string;
  /** tokens of this call, caches and output included; the figure an agent should report as its context */
  contextTokens?: number;
  /** how long the model "thinks" first */
  thinkMs?: number;
  /** how long it takes from one piece of a streamed reply to the next */
  pieceMs?: number;
  fault?: ModelFault;
};

/** The model's part in one conversation. */
export type ModelSession = {
  /** the conversation's opening (everything before the first reply) contains this */
  when?: string;
  turns: ModelTurn[];
  /** replies to what is asked later on, wherever the conversation stands (the closing note) */
  answers?: { contains: string; turns: ModelTurn[] }[];
};

/**
 * Conversations take the sessions in order of appearance, each the first free one whose `when` it contains.
 * The last turn of a session is said again when there are no more.
 */
export type ModelScript = { sessions: ModelSession[] };

/** What every API's request comes down to. */
export type ModelRequest = {
  model: string;
  isStreaming: boolean;
  /** all the user said before the first reply */
  opening: string;
  /** what the user said after the last reply (tool results excluded) */
  latest: string;
  /** replies of the model that the request carries */
  replies: number;
  /** `namespace`: the group that an API puts a tool into */
  tools: { name: string; namespace?: string; schema: Record<string, unknown> }[];
};

/** One API's way of asking and answering. */
export type ModelApi = {
  name: string;
  /** whether this request path is the API's call of the model */
  isCall: (path: string) => boolean;
  read: (body: Record<string, unknown>, path: string) => ModelRequest;
  /** the whole reply: SSE events for a streaming request, one JSON body for another */
  reply: (turn: ModelTurn, request: ModelRequest, id: number) => { events: string[]; body: unknown };
  rateLimit: (resetsAtMs: number | undefined) => { headers: Record<string, string>; body: unknown };
  /** other paths a client asks (token counts, model lists) */
  other?: (path: string) => unknown;
};

/** The seconds until a limit ends, as most APIs say it. */
export const retryAfter = (resetsAtMs: number | undefined): Record<string, string> =>
  resetsAtMs === undefined
    ? {}
    : { "retry-after": String(Math.max(1, Math.ceil((resetsAtMs - Date.now()) / 1000))) };

const OUTPUT_TOKENS = 50;

/** A context figure cut up as real usage is: mostly cache, a little input, a little output. */
export const splitUsage = ({ contextTokens = 1_000 }: ModelTurn) => {
  const output = Math.min(OUTPUT_TOKENS, contextTokens);
  const cacheRead = Math.floor((contextTokens - output) * 0.6);
  const cacheWrite = Math.floor((contextTokens - output) * 0.1);
  return { output, cacheRead, cacheWrite, input: contextTokens - output - cacheRead - cacheWrite };
};

const SHELL_TOOLS = ["Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command"];

/** Requests without a shell tool are the agent's side jobs (titles, summaries): they take no turn. */
const findShellTool = (request: ModelRequest): ModelRequest["tools"][number] | undefined =>
  request.tools.find((tool) => SHELL_TOOLS.includes(tool.name));

type ToolCall = { id: string; name: string; namespace?: string; input: Record<string, unknown> };

/** By the names that agents give to these tools, what they are called with. */
const QUESTION_TOOLS = ["AskUserQuestion", "request_user_input", "question", "ask_user"];
const SUB_AGENT_TOOLS: Record<string, (prompt: string) => Record<string, unknown>> = {
  Agent: (prompt) => ({ description: "scripted part", prompt, subagent_type: "general-purpose" }),
  task: (prompt) => ({ description: "scripted part", prompt, subagent_type: "general" }),
  invoke_agent: (prompt) => ({ prompt, agent_name: "generalist" }),
  spawn_agent: (message) => ({ message }),
};

const OPTIONS = [
  { label: "A", description: "the first" },
  { label: "B", description: "the second" },
];

/** Whether an agent offers a tool for what a turn does besides running commands. */
export const offers = ({ tools }: ModelRequest, what: "ask" | "delegate"): boolean => {
  const names = what === "ask" ? QUESTION_TOOLS : Object.keys(SUB_AGENT_TOOLS);
  return tools.some(({ name }) => names.includes(name));
};

/** The calls of a turn besides those of the shell tool; none where the agent has no such tool. */
const otherCallsOf = ({ ask, delegate }: ModelTurn, { tools }: ModelRequest): Omit<ToolCall, "id">[] =>
  tools.flatMap(({ name, namespace }) => {
    const group = namespace === undefined ? {} : { namespace };
    if (ask !== undefined && QUESTION_TOOLS.includes(name)) {
      const question = { id: "which", header: "Which", question: ask, options: OPTIONS };
      return [{ name, ...group, input: { questions: [question] } }];
    }
    const toSubAgent = SUB_AGENT_TOOLS[name];
    return delegate !== undefined && toSubAgent ? [{ name, ...group, input: toSubAgent(delegate) }] : [];
  });

/** The tool calls of a turn, with the arguments the agent's own schema asks for. `id` tells the replies apart. */
export const toolCallsOf = (turn: ModelTurn, request: ModelRequest, id: number | string): ToolCall[] => {
  const commands = typeof turn.run === "string" ? [turn.run] : (turn.run ?? []);
  const others = otherCallsOf(turn, request).map((call) => ({ id: `scripted_${id}_${call.name}`, ...call }));
  if (commands.length === 0) return others;
  const shell = findShellTool(request);
  if (!shell) throw new Error("a turn with `run` for an agent that offers no shell tool");
  const properties = (shell.schema["properties"] ?? {}) as Record<string, { type?: unknown }>;
  const key = "cmd" in properties ? "cmd" : "command";
  const isList = properties[key]?.type === "array";
  const more = {
    ...("description" in properties ? { description: "scripted command" } : {}),
    ...(turn.isInBackground === true && "run_in_background" in properties ? { run_in_background: true } : {}),
  };
  const calls = commands.map((command, nth) => ({
    id: nth === 0 ? `scripted_${id}` : `scripted_${id}_${nth}`,
    name: shell.name,
    input: { [key]: isList ? ["sh", "-c", command] : command, ...more },
  }));
  return [...others, ...calls];
};

/** What agents put around the prompt and write again when they resume: the date, the folder's files. */
const withoutSurroundings = (opening: string): string =>
  opening.replace(/<(session_context|environment_context|system-reminder)>[\s\S]*?<\/\1>/g, "").trim();

type Conversation = {
  opening: string;
  session: ModelSession;
  next: number;
  served: number;
  /** what is left of the answer that is being given */
  answering: ModelTurn[];
};

/** Follows the conversations through a script. */
export const createModelPlayer = (script: ModelScript) => {
  const free = [...script.sessions];
  const conversations: Conversation[] = [];

  const begin = (opening: string): Conversation | undefined => {
    const index = free.findIndex(({ when }) => when === undefined || opening.includes(when));
    const [session] = index === -1 ? [] : free.splice(index, 1);
    if (!session) return undefined;
    const conversation: Conversation = { opening, session, next: 0, served: 0, answering: [] };
    conversations.push(conversation);
    return conversation;
  };

  /** The turn for a request; undefined for side jobs and for conversations the script does not know. */
  return (request: ModelRequest): ModelTurn | undefined => {
    if (!findShellTool(request)) return undefined;
    const key = withoutSurroundings(request.opening);
    const known = conversations.findLast(({ opening }) => opening === key);
    // The same opening with nothing said yet is a new conversation, unless the first reply was a fault.
    const isNew = !known || (request.replies === 0 && known.served > 0);
    const conversation = isNew ? begin(key) : known;
    if (!conversation) return undefined;
    const { session } = conversation;
    const asked = session.answers?.find(({ contains }) => request.latest.includes(contains));
    if (asked) conversation.answering = [...asked.turns];
    const answer = conversation.answering.shift();
    const turn = answer ?? session.turns[Math.min(conversation.next, session.turns.length - 1)];
    if (!answer) conversation.next += 1;
    if (turn && !turn.fault) conversation.served += 1;
    return turn;
  };
};
