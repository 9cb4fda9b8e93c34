import { Injectable } from '@nestjs/common';
import { TaskError } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { reject, SandboxError } from './sandbox.errors.js';
import { type WasmEnd, wasmEngine, type WasmTask } from './wasm.engine.js';

/** Runs modules as tasks, here or on a worker. */
@Injectable()
export class ModuleRunner {
  constructor(private readonly tasks: Tasks) {}

  /**
   * Undefined when the signal ended the run.
   * @throws DomainError for a module that cannot be started; SandboxError
   */
  async run(task: WasmTask, signal: AbortSignal): Promise<WasmEnd | undefined> {
    try {
      const pieces = this.tasks.run(wasmEngine, task, signal);
      let next = await pieces.next();
      while (!next.done) next = await pieces.next();
      return next.value ?? undefined;
    } catch (error) {
      if (error instanceof TaskError) return rethrow(error);
      throw error;
    }
  }
}

const rethrow = (error: TaskError): never => {
  const { code, message } = error;
  switch (code) {
    case 'module_invalid':
    case 'module_refused':
    case 'entry_point_missing':
    case 'entry_point_unsupported':
    case 'arguments_invalid':
      return reject(`wasm_${code}`, message);
    case 'task_too_large':
      return reject('wasm_module_too_large', 'the module is too large for a message to a worker');
    case 'busy':
      throw new SandboxError('busy', 'all sandboxes are busy; try again', { cause: error });
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
