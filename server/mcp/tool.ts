import { AppError } from "../../core/errors.ts";
import { type Static, type TSchema, Value } from "../../core/schema.ts";
import { faultMessage } from "../../core/schema-fault.ts";
import type { Principal } from "../auth/authenticate.ts";

/** A tool of `/mcp`, for a server whose ports are `Ports`. */
export type ServerTool<Ports> = {
  name: string;
  description: string;
  input: TSchema;
  isReadOnly: boolean;
  isDestructive?: boolean;
  /** whether it is listed for whoever asks: undefined is somebody without a token */
  isOffered: (principal: Principal | undefined) => boolean;
  run: (ports: Ports, request: Request, input: unknown) => Promise<string>;
};

type Declared<Ports, Allowed, T extends TSchema> = Omit<ServerTool<Ports>, "input" | "run"> & {
  input: T;
  /** Who may call it: asked before its input is looked at. @throws AppError */
  allow: (ports: Ports, request: Request) => Promise<Allowed>;
  run: (context: { ports: Ports; request: Request; allowed: Allowed }, input: Static<T>) => Promise<string>;
};

export const declareTool = <Ports, Allowed, T extends TSchema>({
  allow,
  run,
  ...declared
}: Declared<Ports, Allowed, T>): ServerTool<Ports> => ({
  ...declared,
  run: async (ports, request, input) => {
    const allowed = await allow(ports, request);
    const faults = [...Value.Errors(declared.input, input)].map((found) => ({
      path: found.path,
      message: faultMessage(found),
    }));
    if (faults.length > 0)
      throw new AppError(
        "bad-data",
        faults.map(({ path, message }) => `${path || "/"}: ${message}`).join("; "),
        { faults },
      );
    return run({ ports, request, allowed }, input);
  },
});
