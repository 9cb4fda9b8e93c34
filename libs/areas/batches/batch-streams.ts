import { Inject, Injectable } from '@nestjs/common';
import { type BatchEvent, batchEvents } from '#events/batches/batch.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandOutcome, CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type BatchCommand, batchDecider, type BatchState } from './batch.decider.js';

/** Runs the commands of every batch. */
@Injectable()
export class BatchStreams {
  readonly #runner: CommandRunner<BatchCommand, BatchState, BatchEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const decider = batchDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(batchEvents) });
  }

  /** @throws DomainError `batch_not_found`, `batch_not_cancellable` */
  run(
    command: BatchCommand,
    context: CommandContext,
  ): Promise<CommandOutcome<BatchState, BatchEvent>> {
    return this.#runner.run(streamOf(command.data.batchId), command, context);
  }

  /** The batch as the log has it now. */
  async stateOf(batchId: string): Promise<BatchState> {
    return (await this.#runner.stateOf(streamOf(batchId))).state;
  }
}

const streamOf = (batchId: string): string => `batch-${batchId}`;
