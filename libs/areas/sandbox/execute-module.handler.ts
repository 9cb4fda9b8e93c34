import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { cutOf, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type ModuleOrder, taskOf } from './module-order.js';
import { ModuleRunner } from './module-runner.js';
import { type AdmittedModule, SandboxAdmission } from './sandbox-admission.js';
import { UnstartableError } from './sandbox.errors.js';
import { SANDBOX_SETTINGS, type SandboxSettings } from './sandbox.settings.js';
import { type WasmEnd, type WasmTask } from './wasm.engine.js';

export interface ExecutionOrder {
  readonly accountId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAtMs: number;
  readonly module: ModuleOrder;
  readonly context: CommandContext;
  /** Whether this attempt still owns the request; false once a retry has taken it over. */
  readonly confirm?: () => Promise<boolean>;
}

/** A run that has been paid for. */
export interface ExecutionAnswer {
  readonly moduleSha256: string;
  readonly end: WasmEnd;
  readonly entry: LedgerEntry;
}

/** Runs a module once: holds its limit of fuel, runs it, charges what it spent. */
export class ExecuteModuleCommand extends Command<ExecutionAnswer> {
  constructor(
    readonly order: ExecutionOrder,
    /** Aborted with a `RequestCutError` when this process stops or the request takes too long. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

@CommandHandler(ExecuteModuleCommand)
export class ExecuteModuleHandler implements ICommandHandler<ExecuteModuleCommand> {
  constructor(
    private readonly admission: SandboxAdmission,
    private readonly runner: ModuleRunner,
    @Inject(SANDBOX_SETTINGS) private readonly settings: SandboxSettings,
  ) {}

  /** @throws DomainError, SandboxError, RequestCutError; after a charge only UnstartableError */
  async execute({ order, signal }: ExecuteModuleCommand): Promise<ExecutionAnswer> {
    const task = await taskOf(order.module, this.settings);
    const admitted = await this.admission.admit({ ...order, signal, task });
    const end = await this.#run(order.accountId, task, admitted, signal);
    const entry = await admitted.capture(end);
    return { moduleSha256: task.moduleSha256, end, entry };
  }

  /** A module that no thread has read is free. */
  async #run(
    accountId: string,
    task: WasmTask,
    admitted: AdmittedModule,
    signal: AbortSignal,
  ): Promise<WasmEnd> {
    try {
      const end = await this.runner.run(accountId, task, signal);
      if (end) return end;
      throw cutOf(signal) ?? new RequestCutError('shut_down');
    } catch (error) {
      if (error instanceof UnstartableError) await admitted.captureReading();
      else await admitted.release(reasonOf(error));
      throw error;
    }
  }
}

const reasonOf = (error: unknown) => {
  if (error instanceof RequestCutError) return error.reason;
  return error instanceof DomainError ? 'refused' : 'upstream_failed';
};
