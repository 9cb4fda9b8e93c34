import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AccountTurns } from '#platform/runtime/commands/account-turns.js';
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
const TURNS = { total: 2, perAccount: 1, reserve: 1, waitingMax: 4 };

/** Reads uploads on a thread of this process. Accounts take turns. */
@Injectable()
export class ModelReader implements OnApplicationShutdown {
  readonly #turns = new AccountTurns(TURNS, () => tooMany());
  #engine: Promise<OpenModelImportEngine> | null = null;

  /**
   * @param load reads the files when the account has its turn
   * @throws DomainError `uploaded_model_…`; ModelImportFailure; the reason of the signal
   */
  read(
    accountId: string,
    load: () => Promise<ModelImportTask>,
    signal: AbortSignal,
  ): Promise<{ readonly task: ModelImportTask; readonly end: ModelImportEnd }> {
    const read = async () => {
      const task = await load();
      return { task, end: await this.#run(task, signal) };
    };
    return this.#turns.run(accountId, read, signal);
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

const tooMany = (): ModelImportFailure =>
  new ModelImportFailure('busy', 'too many imports of the account wait; try again');
