import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AccountShares } from '#platform/runtime/commands/account-shares.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { ObservationFailure } from './observation.failures.js';
import {
  type Geometry,
  openRastersEngine,
  type OpenRastersEngine,
  type RasterEnd,
  RastersError,
} from './rasters.engine.js';

/** Images that are in the memory of this process, of all accounts and of one. */
const TURNS = { total: 2, perAccount: 1, reserve: 1 };
/** Requests of one account that wait for their turn; the next one is rejected. */
export const WAITING_PER_ACCOUNT_MAX = 8;

/** Reads images on a thread of this process. Accounts take turns. */
@Injectable()
export class RasterReader implements OnApplicationShutdown {
  readonly #turns = new AccountShares(TURNS);
  #engine: Promise<OpenRastersEngine> | null = null;

  /** Before a payload is loaded. @throws ObservationFailure `busy`; the reason of the signal */
  async turn(accountId: string, signal: AbortSignal): Promise<() => void> {
    if (this.#turns.waitingOf(accountId) >= WAITING_PER_ACCOUNT_MAX) {
      throw new ObservationFailure('busy', 'too many images of the account wait; try again');
    }
    return this.#turns.enter(accountId, 1, signal);
  }

  /** @throws RastersError `payload_too_large`; ObservationFailure; the reason of the signal */
  async read(
    payload: Uint8Array,
    region: Geometry | null,
    signal: AbortSignal,
  ): Promise<RasterEnd> {
    this.#engine ??= openRastersEngine();
    const engine = await this.#engine;
    try {
      return await engine.run({ payload, region }, signal);
    } catch (error) {
      const isFinal = error instanceof RastersError && error.code === 'payload_too_large';
      if (isFinal || cutOf(signal)) throw error;
      throw new ObservationFailure('away', 'the image could not be read', { cause: error });
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.#engine)?.close();
  }
}
