import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type LeaseReference } from './lease-expiry.saga.js';
import { type KnownTask, knownOf, type MeshTaskCommand } from './mesh-task.decider.js';
import { MeshTasks } from './mesh-tasks.js';

type WithoutTime<Command> = Command extends {
  readonly type: infer Type;
  readonly data: infer Data;
}
  ? { readonly type: Type; readonly data: Omit<Data, 'at'> }
  : never;

/** A change of a task, at the instant at which the handler runs. */
export type TaskChange = WithoutTime<MeshTaskCommand>;

export interface ChangedTask {
  /** Right after the change, so a lease is the one that the change gave. */
  readonly task: KnownTask;
  readonly position: bigint;
}

/** Hands a task on, or renews, releases, completes or expires its lease. */
export class ChangeTaskCommand extends Command<ChangedTask> {
  constructor(
    readonly change: TaskChange,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** The command of `lease-expiry.saga.ts` when a lease ends. */
export const expireMeshLease = (data: LeaseReference, context: CommandContext): ChangeTaskCommand =>
  new ChangeTaskCommand({ type: 'ExpireLease', data }, context);

@CommandHandler(ChangeTaskCommand)
export class ChangeTaskHandler implements ICommandHandler<ChangeTaskCommand> {
  constructor(
    private readonly tasks: MeshTasks,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError of `mesh.errors.ts` */
  async execute({ change, context }: ChangeTaskCommand): Promise<ChangedTask> {
    const at = instant(this.clock);
    const { type, data } = change;
    // The compiler does not follow the union through the spread: each member gets its `at` back.
    const command = { type, data: { ...data, at } } as MeshTaskCommand;
    const { state, position } = await this.tasks.run(command, context);
    return { task: knownOf(state, data), position };
  }
}
