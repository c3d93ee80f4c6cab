export { createApp, type App } from "./app.ts";
export { startServer, type RunningServer } from "./start.ts";
export { createLog, createSilentLog } from "../core/log.ts";
export { readSettings, type Settings } from "./settings.ts";
