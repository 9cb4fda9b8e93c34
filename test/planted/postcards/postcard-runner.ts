import { Inject, Injectable } from '@nestjs/common';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type PostcardCommand, postcardDecider, type PostcardState } from './postcard.decider.js';
import { type PostcardEvent, postcardEvents } from './postcard.events.js';

/** Runs commands on the stream of a postcard. */
@Injectable()
export class PostcardRunner {
  readonly #runner: CommandRunner<PostcardCommand, PostcardState, PostcardEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const decider = postcardDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(postcardEvents) });
  }

  async run(command: PostcardCommand, context: CommandContext): Promise<void> {
    await this.#runner.run(`postcard-${command.data.postcardId}`, command, context);
  }
}
