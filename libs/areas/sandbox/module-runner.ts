import { Inject, Injectable } from '@nestjs/common';
import { AccountShares } from '#platform/runtime/commands/account-shares.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { reject, SandboxError, UnstartableError } from './sandbox.errors.js';
import { SANDBOX_SETTINGS, type SandboxSettings, TURN_MS_MAX } from './sandbox.settings.js';
import { type WasmEnd, wasmEngine, type WasmTask } from './wasm.engine.js';

/** Runs of one account that wait for their turn; the next one is refused. */
const WAITING_PER_ACCOUNT_MAX = 16;

/**
 * Runs modules as tasks, here or on a worker. Accounts take turns, and each has its share of the
 * runs at once.
 */
@Injectable()
export class ModuleRunner {
  readonly #turns: AccountShares;

  constructor(
    private readonly tasks: Tasks,
    @Inject(SANDBOX_SETTINGS) { runsMax, runsPerAccountMax }: SandboxSettings,
  ) {
    const limits = { total: runsMax, perAccount: runsPerAccountMax, reserve: runsPerAccountMax };
    this.#turns = new AccountShares(limits);
  }

  /**
   * Undefined when the signal ended the run.
   * @throws UnstartableError, DomainError for a module that is too large; SandboxError
   */
  async run(accountId: string, task: WasmTask, signal: AbortSignal): Promise<WasmEnd | undefined> {
    const endTurn = await this.#turn(accountId, signal);
    if (endTurn === undefined) return undefined;
    try {
      const pieces = this.tasks.run(wasmEngine, task, signal);
      let next = await pieces.next();
      while (!next.done) next = await pieces.next();
      return next.value ?? undefined;
    } catch (error) {
      if (error instanceof TaskError) return rethrow(error);
      throw error;
    } finally {
      endTurn();
    }
  }

  /** Undefined when the signal aborts first. @throws SandboxError `busy` */
  async #turn(accountId: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (this.#turns.waitingOf(accountId) >= WAITING_PER_ACCOUNT_MAX) throw busy();
    const tooLong = AbortSignal.timeout(TURN_MS_MAX);
    try {
      return await this.#turns.enter(accountId, 1, AbortSignal.any([signal, tooLong]));
    } catch (error) {
      if (signal.aborted) return undefined;
      if (tooLong.aborted) throw busy({ cause: error });
      throw error;
    }
  }
}

const busy = (options?: ErrorOptions): SandboxError =>
  new SandboxError('busy', 'all sandboxes are busy; try again', options);

const rethrow = (error: TaskError): never => {
  const { code, message } = error;
  switch (code) {
    case 'module_invalid':
    case 'module_refused':
    case 'entry_point_missing':
    case 'entry_point_unsupported':
    case 'arguments_invalid':
      throw new UnstartableError(`wasm_${code}`, message);
    case 'task_too_large':
      return reject('wasm_module_too_large', 'the module is too large for a message to a worker');
    case 'busy':
      throw busy({ cause: error });
    case 'no_worker':
    case 'worker_lost':
    case 'expired':
    case 'closed': {
      const detail = 'no process can run a module now; try again';
      throw new SandboxError('away', detail, { cause: error });
    }
    default:
      throw new SandboxError('failed', 'the sandbox failed', { cause: error });
  }
};
