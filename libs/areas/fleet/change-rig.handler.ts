import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type WorkerRigEvent, workerRigEvents } from '#events/fleet/worker-rig.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import {
  type WorkerRigCommand,
  workerRigDecider,
  type WorkerRigState,
} from './worker-rig.decider.js';

/** Registers, drains or misses the rig of a worker. */
export class ChangeRigCommand extends Command<void> {
  constructor(
    readonly change: WorkerRigCommand,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeRigCommand)
export class ChangeRigHandler implements ICommandHandler<ChangeRigCommand> {
  readonly #runner: CommandRunner<WorkerRigCommand, WorkerRigState, WorkerRigEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const decider = workerRigDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(workerRigEvents) });
  }

  /** @throws DomainError of `fleet.errors.ts` */
  async execute({ change, context }: ChangeRigCommand): Promise<void> {
    await this.#runner.run(`fleet-${change.data.rig}`, change, context);
  }
}
