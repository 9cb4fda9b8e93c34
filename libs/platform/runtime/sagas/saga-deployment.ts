import { type ICommand } from '@nestjs/cqrs';
import { type DomainEvent } from '#platform/kernel/projection.js';
import { type AnySaga, type Saga, type SagaCommand } from '#platform/kernel/saga.js';
import { type CommandContext } from '../commands/command-context.js';

/** Builds the command for Nest's command bus from each command that a saga sends. */
export type CommandTable<Command extends SagaCommand> = {
  readonly [Type in Command['type']]: (
    data: Extract<Command, { readonly type: Type }>['data'],
    context: CommandContext,
  ) => ICommand;
};

/** A saga and the commands it sends; `deploySaga` builds it. */
export interface AnySagaDeployment {
  readonly saga: AnySaga;
  /** The names of its commands. An area may share one between its sagas; two areas may not. */
  readonly commandNames: readonly string[];
  /** @throws UnknownSagaCommandError for a timer of another build, whose command is gone */
  readonly toCommand: (command: SagaCommand, context: CommandContext) => ICommand;
}

/** A stored timer names a command that this build does not have. The timer is kept and retried. */
export class UnknownSagaCommandError extends Error {
  override readonly name = 'UnknownSagaCommandError';
}

/**
 * Declares a saga with the table of its commands. The compiler checks the table: it has exactly the
 * saga's commands, and each entry takes the data that the saga sends.
 */
export const deploySaga = <
  Event extends DomainEvent,
  State extends object,
  Command extends SagaCommand,
>(
  saga: Saga<Event, State, Command>,
  commands: CommandTable<NoInfer<Command>>,
): AnySagaDeployment => {
  // A saga's commands are typed when they are sent. A timer is the JSON of such a command, so its
  // type is only known here again.
  const table = new Map<string, (data: never, context: CommandContext) => ICommand>(
    Object.entries(commands),
  );
  return {
    saga,
    commandNames: [...table.keys()],
    toCommand: ({ type, data }, context) => {
      const build = table.get(type);
      if (!build) throw new UnknownSagaCommandError(`${saga.name} has no command ${type}`);
      return build(data as never, context);
    },
  };
};
