import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AccountTurns } from '#platform/runtime/commands/account-turns.js';
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
const TURNS = { total: 2, perAccount: 1, reserve: 1, waitingMax: 256 };

/** Computes answers on a thread of this process. Accounts take turns. */
@Injectable()
export class AnswerRunner implements OnApplicationShutdown {
  readonly #turns = new AccountTurns(TURNS, () => tooMany());
  #engine: Promise<OpenPrivacyEngine> | null = null;

  constructor(private readonly rows: RoomRows) {}

  /** Before a privacy budget is reserved. @throws CleanroomFailure `busy` */
  demandTurn(accountId: string): void {
    this.#turns.demand(accountId);
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
    const answer = async (): Promise<PrivacyAnswer> => {
      const sizes = room.schema?.columns.map(sizeOf) ?? [];
      const codes = Int32Array.from((await this.rows.read(room)).flat());
      this.#engine ??= openPrivacyEngine();
      return (await this.#engine).run({ table: { sizes, codes }, ...asked }, signal);
    };
    return this.#turns.run(accountId, answer, signal);
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.#engine)?.close();
  }
}

const tooMany = (): CleanroomFailure =>
  new CleanroomFailure('busy', 'too many queries of the account wait; try again');
