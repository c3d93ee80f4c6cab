import { AppError } from "../../core/errors.ts";
import type { SessionRequest } from "../driver.ts";
import { type Json, listAt, objectAt, textAt } from "../json.ts";
import type { AcpConnection } from "./connection.ts";

/** Asks for the model in whichever of the protocol's two ways the agent offers. */
const chooseModel = async (connection: AcpConnection, sessionId: string, opened: Json, model: string) => {
  const option = listAt(opened, "configOptions").find((one) => one["category"] === "model");
  const configId = textAt(option ?? {}, "id");
  if (configId !== undefined)
    await connection.ask("session/set_config_option", { sessionId, configId, value: model });
  else if (listAt(objectAt(opened, "models"), "availableModels").length > 0)
    await connection.ask("session/set_model", { sessionId, modelId: model });
  else
    throw new AppError(
      "config",
      `the agent does not let its model be chosen; leave ${JSON.stringify(model)} out, or choose it in the agent's own settings`,
    );
};

/**
 * Opens a conversation, or the one to go on in, with the model and the mode that are wanted.
 * @returns its id
 */
export const openSession = async (connection: AcpConnection, request: SessionRequest): Promise<string> => {
  const { agentCapabilities } = await connection.initialize();
  const can = objectAt({ agentCapabilities }, "agentCapabilities");
  const place = { cwd: request.dir, mcpServers: [] };
  let opened: Json;
  if (request.resume === undefined) opened = await connection.ask("session/new", place);
  else if (can["loadSession"] === true)
    opened = await connection.ask("session/load", { ...place, sessionId: request.resume });
  else throw new AppError("unavailable", "the agent cannot load a conversation");
  const sessionId = request.resume ?? textAt(opened, "sessionId");
  if (sessionId === undefined) throw new AppError("unavailable", "the agent gave no session id");
  const mode = request.settings["permissionMode"];
  if (typeof mode === "string") await connection.ask("session/set_mode", { sessionId, modeId: mode });
  const model = request.model ?? request.settings.model;
  if (model !== undefined) await chooseModel(connection, sessionId, opened, model);
  return sessionId;
};
