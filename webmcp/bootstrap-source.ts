// The browser's side of the toolkit, as text: what is sent is exactly what stands here, whatever compiled this file.
// Plain ECMAScript 2020, no names of ours outside the module but one symbol.

/** Registers `settings.tools` with whichever shape of the API the browser has; keeps them right over a page's life. */
export const registration = /* js */ `
const show = (tool, result) => {
  const element = document.querySelector(settings.resultSelector);
  if (element) element.textContent = JSON.stringify({ tool, ...result }, null, 2);
};

// Results are data, also when something went wrong: a thrown error reaches an agent without its reason.
const run = async (tool, given, options) => {
  let result;
  try {
    const input = typeof given === "string" ? JSON.parse(given) : given;
    result = await execute(tool, input === undefined || input === null ? {} : input, options && options.signal);
  } catch (error) {
    const aborted = error && error.name === "AbortError";
    result = aborted
      ? { error: "aborted", path: "", reason: "the call was cancelled" }
      : { error: "unreachable", path: "", reason: "no answer could be read" };
  }
  show(tool.name, result);
  return result;
};

const describe = (tool) => {
  const { operation, ...descriptor } = tool;
  return { ...descriptor, execute: (input, options) => run(tool, input, options) };
};

// document.modelContext is the standard; navigator.modelContext is what browsers and polyfills had before.
const findContext = () => document.modelContext || navigator.modelContext;

const start = (context) => {
  const controller = new AbortController();
  const undo = [];
  controller.signal.addEventListener("abort", () => {
    for (const step of undo) {
      try {
        step();
      } catch {
        // Already gone: the signal was enough for this browser.
      }
    }
  });
  if (typeof context.registerTool !== "function") {
    if (typeof context.provideContext === "function") {
      context.provideContext({ tools: settings.tools.map(describe) });
      undo.push(() => context.clearContext && context.clearContext());
    }
    return controller;
  }
  for (const tool of settings.tools) register(context, tool, controller.signal, undo);
  return controller;
};

// One tool that the browser refuses must not take the others with it.
const register = async (context, tool, signal, undo) => {
  try {
    const handle = await context.registerTool(describe(tool), { signal });
    const stop = () => {
      if (handle && typeof handle.unregister === "function") handle.unregister();
      else if (typeof context.unregisterTool === "function") context.unregisterTool(tool.name);
    };
    if (signal.aborted) stop();
    else undo.push(stop);
  } catch (error) {
    if (!signal.aborted) console.warn("WebMCP: the tool " + tool.name + " was not registered", error);
  }
};

const KEY = Symbol.for("webmcp-bootstrap " + (settings.basePath === undefined ? settings.apiOrigin : settings.basePath));
if (globalThis[KEY]) globalThis[KEY]();

const life = new AbortController();
let registered;
const begin = () => {
  const context = findContext();
  if (context && !registered && !life.signal.aborted) registered = start(context);
};
const end = () => {
  if (registered) registered.abort();
  registered = undefined;
};
// A page in the back/forward cache offers nothing; one that comes back offers its tools again.
addEventListener("pagehide", end, { signal: life.signal });
addEventListener("pageshow", begin, { signal: life.signal });
// A polyfill may come after this module.
if (!findContext()) addEventListener("load", begin, { signal: life.signal });
begin();
// Loaded again, as by a hot reload, the newer copy takes over.
Object.defineProperty(globalThis, KEY, { configurable: true, value: () => { life.abort(); end(); } });
`;

/** Sends a call to the companion, and waits for a change that a person still has to decide. */
export const companionExecute = /* js */ `
const read = async (response) => {
  const text = await response.text();
  let body = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON: the text itself is the answer.
  }
  return { status: response.status, body };
};

const pause = (seconds, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => { clearTimeout(timer); reject(new DOMException("", "AbortError")); };
    const timer = setTimeout(() => { if (signal) signal.removeEventListener("abort", stop); resolve(); }, seconds * 1000);
    if (signal) signal.addEventListener("abort", stop, { once: true });
  });

const execute = async (tool, input, signal) => {
  const common = { signal, credentials: "same-origin", redirect: "error", cache: "no-store" };
  let response = await fetch(settings.basePath + "/call/" + encodeURIComponent(tool.name), {
    ...common,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  // 202 with Location and Retry-After: the decision is a person's, and its outcome can be asked for there.
  while (response.status === 202 && response.headers.get("location") && response.headers.get("retry-after")) {
    const place = new URL(response.headers.get("location"), response.url);
    if (place.origin !== location.origin) break;
    const seconds = Number(response.headers.get("retry-after"));
    show(tool.name, await read(response));
    await pause(Math.min(Math.max(seconds || 1, 0.2), 30), signal);
    response = await fetch(place, common);
  }
  return read(response);
};
`;

/** Builds the request in the page and sends it to a public API, without anything of the visitor's. */
export const staticExecute = /* js */ `
const refuse = (error, path, reason) => ({ error, path, reason });

const fits = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: (value) => Number.isInteger(value),
  number: (value) => Number.isFinite(value),
};

const whyWrong = (value, schema) => {
  if (!fits[schema.type](value)) return "must be of type " + schema.type;
  if (schema.enum && !schema.enum.includes(value)) return "must be one of " + JSON.stringify(schema.enum);
  if (typeof value === "number") {
    if (value < schema.minimum) return "must be at least " + schema.minimum;
    if (value > schema.maximum) return "must be at most " + schema.maximum;
    if (value <= schema.exclusiveMinimum) return "must be above " + schema.exclusiveMinimum;
    if (value >= schema.exclusiveMaximum) return "must be below " + schema.exclusiveMaximum;
  }
  if (typeof value !== "string") return undefined;
  if (/\\p{Surrogate}/u.test(value)) return "must be well-formed Unicode";
  const length = Array.from(value).length;
  if (length < schema.minLength) return "must have at least " + schema.minLength + " characters";
  if (length > schema.maxLength) return "must have at most " + schema.maxLength + " characters";
  // Not the pattern: the browser's engine could stall the tab on it. The API checks it.
  return undefined;
};

const check = (tool, input) => {
  if (typeof input !== "object" || Array.isArray(input)) return refuse("invalid_input", "", "must be an object");
  const { properties, required } = tool.inputSchema;
  for (const name of Object.keys(input)) {
    if (input[name] === undefined) continue;
    const reason = Object.hasOwn(properties, name) ? whyWrong(input[name], properties[name]) : "is not a declared property";
    if (reason) return refuse("invalid_input", "/" + name, reason);
  }
  const missing = required.find((name) => !Object.hasOwn(input, name) || input[name] === undefined);
  return missing === undefined ? undefined : refuse("invalid_input", "", "must have the property " + missing);
};

const addressOf = ({ path, queryParameters }, input) => {
  const built = path.replace(/\\{([^{}]*)\\}/g, (_, name) => encodeURIComponent(input[name]));
  const query = new URLSearchParams();
  for (const name of queryParameters)
    if (Object.hasOwn(input, name) && input[name] !== undefined) query.append(name, input[name]);
  const search = String(query) === "" ? "" : "?" + query;
  const address = settings.apiOrigin + built + search;
  // The parser kept what was built, so the request is for this origin and matches its template.
  return new URL(address).href === address ? address : undefined;
};

const climbs = ({ pathParameters }, input) =>
  pathParameters.find((name) => {
    const value = String(input[name]);
    return value === "" || /[\\u0000-\\u001f\\u007f]/.test(value) || value.split(/[/\\\\]/).some((part) => part === "." || part === "..");
  });

const readBounded = async (response) => {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > settings.maxResponseBytes) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
};

const execute = async (tool, input, signal) => {
  const wrong = check(tool, input);
  if (wrong) return wrong;
  const climbing = climbs(tool.operation, input);
  if (climbing !== undefined) return refuse("invalid_input", "/" + climbing, "must not be empty, . or .. in a path");
  const address = addressOf(tool.operation, input);
  if (address === undefined) return refuse("invalid_input", "", "would change the path of the request");
  const response = await fetch(address, {
    signal,
    headers: { accept: "application/json" },
    credentials: "omit",
    redirect: "error",
    referrerPolicy: "no-referrer",
    cache: "no-store",
  });
  const { status } = response;
  const type = response.headers.get("content-type") || "";
  const isJson = /^application\\/([\\w.+-]+\\+)?json\\s*(;|$)/i.test(type);
  if (!isJson || !response.body) {
    if (response.body) await response.body.cancel();
    return { status, ...refuse("response_not_json", "", "the answer is not JSON") };
  }
  const text = await readBounded(response);
  if (text === undefined)
    return { status, ...refuse("response_too_large", "", "the answer is larger than " + settings.maxResponseBytes + " bytes") };
  try {
    return { status, body: JSON.parse(text) };
  } catch {
    return { status, ...refuse("response_not_json", "", "the answer is not valid JSON") };
  }
};
`;
