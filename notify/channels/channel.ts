import type { Static, TSchema } from "../../core/schema.ts";
import type { Message } from "../notice.ts";

/** A browser that asked to be told: its address at its push service, and the keys to write to it. */
export type Device = { endpoint: string; p256dh: string; auth: string };

/** The server's key pair (RFC 8292) and its devices. */
export type PushAccess = {
  publicKey: string;
  privateKey: string;
  devices: readonly Device[];
  /** has the server forget devices that are no more */
  forget: (endpoints: readonly string[]) => Promise<void>;
};

/** What a channel may use of the world. */
export type ChannelPorts = {
  fetch: typeof globalThis.fetch;
  now: () => number;
  /** asks the server, or goes by what it said last; @throws SendFailure when nobody ever said */
  openPush: (server?: string) => Promise<PushAccess>;
};

/** A message did not arrive. */
export class SendFailure extends Error {
  /** it will not arrive by trying again */
  readonly isFinal: boolean;
  /** the provider's own word for when to try again, in milliseconds */
  readonly retryAfterMs: number | undefined;
  /** the provider's HTTP status, where one answered */
  readonly status: number | undefined;

  constructor(
    message: string,
    {
      isFinal = false,
      retryAfterMs,
      status,
    }: { isFinal?: boolean; retryAfterMs?: number; status?: number } = {},
  ) {
    super(message);
    this.name = "SendFailure";
    this.isFinal = isFinal;
    this.retryAfterMs = retryAfterMs;
    this.status = status;
  }
}

/** One way to reach a person: what it has to be told, and how it sends. */
export type Channel<S extends TSchema = TSchema> = {
  schema: S;
  /** @throws SendFailure */
  send: (settings: Static<S>, message: Message, ports: ChannelPorts) => Promise<void>;
};

export const defineChannel = <S extends TSchema>(channel: Channel<S>): Channel<S> => channel;
