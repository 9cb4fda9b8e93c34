import { Inject, Injectable } from '@nestjs/common';
import { type MeshTaskEvent, meshTaskEvents } from '#events/mesh/mesh-task.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandOutcome, CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type MeshTaskCommand, meshTaskDecider, type MeshTaskState } from './mesh-task.decider.js';

/** Any UUID that no other stream name derives from. */
const NAMESPACE = 'b3f8a1d2-6c57-5e0b-9d64-2f1c7a90e853';

/** Task ids are unique in an account, and stream names in the log. */
export const taskStream = (accountId: string, taskId: string): string =>
  `task-${derivedId(`${accountId}/${taskId}`, NAMESPACE)}`;

/** Runs the commands of tasks on their streams. */
@Injectable()
export class MeshTasks {
  readonly #runner: CommandRunner<MeshTaskCommand, MeshTaskState, MeshTaskEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    this.#runner = new CommandRunner({
      decider: meshTaskDecider,
      eventStore,
      codec: codec.for(meshTaskEvents),
    });
  }

  /** @throws DomainError */
  run(
    command: MeshTaskCommand,
    context: CommandContext,
  ): Promise<CommandOutcome<MeshTaskState, MeshTaskEvent>> {
    const { accountId, taskId } = command.data;
    return this.#runner.run(taskStream(accountId, taskId), command, context);
  }
}
