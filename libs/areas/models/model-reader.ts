import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AccountShares } from '#platform/runtime/commands/account-shares.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import {
  type ModelImportEnd,
  ModelImportError,
  type ModelImportTask,
  openModelImportEngine,
  type OpenModelImportEngine,
} from './model-import.engine.js';
import { reject } from './models.errors.js';
import { ModelImportFailure } from './models.failures.js';

/** Uploads that are in the memory of this process, of all accounts and of one. */
const TURNS = { total: 2, perAccount: 1, reserve: 1 };
/** Imports of one account that wait for their turn; the next one is rejected. */
export const WAITING_PER_ACCOUNT_MAX = 4;

/** Reads uploads on a thread of this process. Accounts take turns. */
@Injectable()
export class ModelReader implements OnApplicationShutdown {
  readonly #turns = new AccountShares(TURNS);
  #engine: Promise<OpenModelImportEngine> | null = null;

  /**
   * @param load reads the files when the account has its turn
   * @throws DomainError `uploaded_model_…`; ModelImportFailure; the reason of the signal
   */
  async read(
    accountId: string,
    load: () => Promise<ModelImportTask>,
    signal: AbortSignal,
  ): Promise<{ readonly task: ModelImportTask; readonly end: ModelImportEnd }> {
    if (this.#turns.waitingOf(accountId) >= WAITING_PER_ACCOUNT_MAX) {
      throw new ModelImportFailure('busy', 'too many imports of the account wait; try again');
    }
    const endTurn = await this.#turns.enter(accountId, 1, signal);
    try {
      const task = await load();
      return { task, end: await this.#run(task, signal) };
    } finally {
      endTurn();
    }
  }

  async #run(task: ModelImportTask, signal: AbortSignal): Promise<ModelImportEnd> {
    this.#engine ??= openModelImportEngine();
    const engine = await this.#engine;
    try {
      return await engine.run(task, signal);
    } catch (error) {
      if (cutOf(signal)) throw error;
      if (error instanceof ModelImportError) {
        const { code, message } = error;
        if (code !== 'crashed' && code !== 'closed') {
          return reject(`uploaded_model_${code}`, message);
        }
      }
      throw new ModelImportFailure('away', 'the model could not be read', { cause: error });
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.#engine)?.close();
  }
}
