import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AccountShares } from '#platform/runtime/commands/account-shares.js';
import { type RoomRecord } from '#projections/cleanrooms/cleanrooms.projection.js';
import { CleanroomFailure } from './cleanrooms.failures.js';
import {
  openPrivacyEngine,
  type OpenPrivacyEngine,
  type PrivacyAnswer,
  type PrivacyQuery,
  type Spending,
} from './privacy.engine.js';
import { RoomRows } from './room-rows.js';
import { sizeOf } from './room-table.js';

/** Answers at once, of all accounts and of one. */
const TURNS = { total: 2, perAccount: 1, reserve: 1 };
/** Queries of one account that wait for their turn; the next one is rejected. */
export const WAITING_PER_ACCOUNT_MAX = 256;

/** Computes answers on a thread of this process. Accounts take turns. */
@Injectable()
export class AnswerRunner implements OnApplicationShutdown {
  readonly #turns = new AccountShares(TURNS);
  #engine: Promise<OpenPrivacyEngine> | null = null;

  constructor(private readonly rows: RoomRows) {}

  /** Before a privacy budget is reserved. @throws CleanroomFailure `busy` */
  demandTurn(accountId: string): void {
    if (this.#turns.waitingOf(accountId) < WAITING_PER_ACCOUNT_MAX) return;
    throw new CleanroomFailure('busy', 'too many queries of the account wait; try again');
  }

  /**
   * @throws CleanroomFailure; BlobError for rows that were withdrawn; the reason of the signal
   */
  async run(
    room: RoomRecord,
    accountId: string,
    asked: { readonly query: PrivacyQuery; readonly spending: Spending },
    signal: AbortSignal,
  ): Promise<PrivacyAnswer> {
    const endTurn = await this.#turns.enter(accountId, 1, signal);
    try {
      const sizes = room.schema?.columns.map(sizeOf) ?? [];
      const codes = Int32Array.from((await this.rows.read(room)).flat());
      this.#engine ??= openPrivacyEngine();
      return await (await this.#engine).run({ table: { sizes, codes }, ...asked }, signal);
    } finally {
      endTurn();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.#engine)?.close();
  }
}
