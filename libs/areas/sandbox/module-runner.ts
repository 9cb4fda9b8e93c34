import { Inject, Injectable } from '@nestjs/common';
import { AccountTurns, unlessAborted } from '#platform/runtime/commands/account-turns.js';
import { outageOf, TaskError, type TaskOutage } from '#platform/tasks/task.error.js';
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
  readonly #turns: AccountTurns;

  constructor(
    private readonly tasks: Tasks,
    @Inject(SANDBOX_SETTINGS) { runsMax, runsPerAccountMax }: SandboxSettings,
  ) {
    const shares = { total: runsMax, perAccount: runsPerAccountMax, reserve: runsPerAccountMax };
    const limits = { ...shares, waitingMax: WAITING_PER_ACCOUNT_MAX, waitMsMax: TURN_MS_MAX };
    this.#turns = new AccountTurns(limits, (options) => failureOf('busy', options));
  }

  /**
   * Undefined when the signal ended the run.
   * @throws UnstartableError, DomainError for a module that is too large; SandboxError
   */
  async run(accountId: string, task: WasmTask, signal: AbortSignal): Promise<WasmEnd | undefined> {
    const execute = async (): Promise<WasmEnd | undefined> => {
      try {
        const pieces = this.tasks.run(wasmEngine, task, signal);
        let next = await pieces.next();
        while (!next.done) next = await pieces.next();
        return next.value ?? undefined;
      } catch (error) {
        if (error instanceof TaskError) return rethrow(error);
        throw error;
      }
    };
    return this.#turns.run(accountId, execute, signal).catch(unlessAborted(signal));
  }
}

const MESSAGES: Readonly<Record<TaskOutage, string>> = {
  busy: 'all sandboxes are busy; try again',
  away: 'no process can run a module now; try again',
  failed: 'the sandbox failed',
};

const failureOf = (outage: TaskOutage, options?: ErrorOptions): SandboxError =>
  new SandboxError(outage, MESSAGES[outage], options);

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
    default:
      throw failureOf(outageOf(error), { cause: error });
  }
};
