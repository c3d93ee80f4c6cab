import type { Static, TSchema } from "../../core/schema.ts";
import type { Message } from "../notice.ts";

/** What a channel may use of the world. */
export type ChannelPorts = { fetch: typeof globalThis.fetch; now: () => number };

/** A message did not arrive. */
export class SendFailure extends Error {
  /** it will not arrive by trying again */
  readonly isFinal: boolean;
  /** the provider's own word for when to try again, in milliseconds */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    { isFinal = false, retryAfterMs }: { isFinal?: boolean; retryAfterMs?: number } = {},
  ) {
    super(message);
    this.name = "SendFailure";
    this.isFinal = isFinal;
    this.retryAfterMs = retryAfterMs;
  }
}

/** One way to reach a person: what it has to be told, and how it sends. */
export type Channel<S extends TSchema = TSchema> = {
  schema: S;
  /** @throws SendFailure */
  send: (settings: Static<S>, message: Message, ports: ChannelPorts) => Promise<void>;
};

export const defineChannel = <S extends TSchema>(channel: Channel<S>): Channel<S> => channel;
