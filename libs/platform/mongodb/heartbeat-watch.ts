import { type MongoClient } from 'mongodb';

export interface HeartbeatWatchOptions {
  /** So long, in milliseconds, a heartbeat may keep everybody waiting: longer than any can last. */
  readonly silenceMs: number;
  /** How long the closing of a client that hangs is waited for, in milliseconds. */
  readonly closingMs: number;
}

const LOOKS_PER_SILENCE = 10;

/**
 * Begins a client anew whose heartbeat has stopped. A command of the driver (7.8) that is given a
 * connection whose socket is destroyed, while its `close` is still to come, waits for ever: the write
 * says that it has to be drained, and nothing ever drains it. Where that befalls the heartbeat, no
 * server is looked for any more, and every operation is refused until the process ends.
 *
 * It listens for the heartbeats of all servers of a set together: servers that tell a version of their
 * topology, as members of sets do, have their heartbeat begun anew by the driver itself.
 */
export class HeartbeatWatch {
  readonly #looking: NodeJS.Timeout;
  /** Looks since the last heartbeat: a process that was stopped itself has not looked either. */
  #silentLooks = 0;
  #reviving: Promise<void> | null = null;

  constructor(
    private readonly client: MongoClient,
    private readonly options: HeartbeatWatchOptions,
  ) {
    client.on('serverHeartbeatSucceeded', this.#hear);
    client.on('serverHeartbeatFailed', this.#hear);
    this.#looking = setInterval(this.#look, options.silenceMs / LOOKS_PER_SILENCE).unref();
  }

  /** Waits for a client that is being begun anew. */
  async end(): Promise<void> {
    clearInterval(this.#looking);
    await this.#reviving;
  }

  readonly #hear = (): void => {
    this.#silentLooks = 0;
  };

  readonly #look = (): void => {
    this.#silentLooks += 1;
    if (this.#silentLooks <= LOOKS_PER_SILENCE || this.#reviving) return;
    this.#reviving = this.#revive().finally(() => {
      this.#reviving = null;
      this.#silentLooks = 0;
    });
  };

  async #revive(): Promise<void> {
    const { client, options } = this;
    // What cannot be closed is begun anew all the same.
    const closed = client.close().catch(() => undefined);
    await within(closed, options.closingMs, () => undefined);
    // A server that is away fails this one, and its heartbeats are heard again all the same.
    await client.connect().catch(() => undefined);
  }
}
import { within } from '#platform/kernel/within.js';
