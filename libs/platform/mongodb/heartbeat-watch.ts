import { type MongoClient } from 'mongodb';

export interface HeartbeatWatchOptions {
  /** The longest time without a heartbeat, in milliseconds: longer than a heartbeat can take. */
  readonly silenceMs: number;
  /** How long to wait for the closing of a client that hangs, in milliseconds. */
  readonly closingMs: number;
}

const CHECKS_PER_SILENCE = 10;

/**
 * Reconnects a client whose heartbeat has stopped. A command of the driver (7.8) waits for ever
 * when it gets a connection whose socket is destroyed and has not emitted `close` yet: its write
 * waits for a drain event that is never emitted. When this happens to the heartbeat, the driver
 * stops looking for servers, and every operation fails until the process ends.
 *
 * It watches the heartbeats of all servers of a set together: for servers that report a topology
 * version, as members of sets do, the driver restarts the heartbeat itself.
 */
export class HeartbeatWatch {
  readonly #checking: NodeJS.Timeout;
  /** Checks since the last heartbeat. A suspended process does not check either. */
  #silentChecks = 0;
  #reconnecting: Promise<void> | null = null;

  constructor(
    private readonly client: MongoClient,
    private readonly options: HeartbeatWatchOptions,
  ) {
    client.on('serverHeartbeatSucceeded', this.#onHeartbeat);
    client.on('serverHeartbeatFailed', this.#onHeartbeat);
    this.#checking = setInterval(this.#check, options.silenceMs / CHECKS_PER_SILENCE).unref();
  }

  /** Waits for a client that is reconnecting. */
  async end(): Promise<void> {
    clearInterval(this.#checking);
    await this.#reconnecting;
  }

  readonly #onHeartbeat = (): void => {
    this.#silentChecks = 0;
  };

  readonly #check = (): void => {
    this.#silentChecks += 1;
    if (this.#silentChecks <= CHECKS_PER_SILENCE || this.#reconnecting) return;
    this.#reconnecting = this.#reconnect().finally(() => {
      this.#reconnecting = null;
      this.#silentChecks = 0;
    });
  };

  async #reconnect(): Promise<void> {
    const { client, options } = this;
    // A client that cannot be closed is reconnected too.
    const closed = client.close().catch(() => undefined);
    await within(closed, options.closingMs, () => undefined);
    // Without a server this fails, but the heartbeats start again.
    await client.connect().catch(() => undefined);
  }
}
import { within } from '#platform/kernel/within.js';
