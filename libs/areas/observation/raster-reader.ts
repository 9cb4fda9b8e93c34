import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AccountTurns } from '#platform/runtime/commands/account-turns.js';
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
const TURNS = { total: 2, perAccount: 1, reserve: 1, waitingMax: 8 };

/** Reads images on a thread of this process. Accounts take turns. */
@Injectable()
export class RasterReader implements OnApplicationShutdown {
  readonly #turns = new AccountTurns(TURNS, () => tooMany());
  #engine: Promise<OpenRastersEngine> | null = null;

  /**
   * Runs the work on an image, from the load of its payload on.
   * @throws ObservationFailure `busy`; the reason of the signal
   */
  inTurn<T>(accountId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(accountId, work, signal);
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

const tooMany = (): ObservationFailure =>
  new ObservationFailure('busy', 'too many images of the account wait; try again');
