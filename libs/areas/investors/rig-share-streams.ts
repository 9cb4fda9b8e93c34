import { Inject, Injectable } from '@nestjs/common';
import { type RigShareEvent, nodeEvents } from '#events/investors/investor.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type RigShareCommand, rigShareDecider, type RigShareState } from './rig-share.decider.js';

/** Runs the commands of the streams `shares-<rig>`. */
@Injectable()
export class RigShareStreams {
  readonly #nodes: CommandRunner<RigShareCommand, RigShareState, RigShareEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    this.#nodes = new CommandRunner({
      decider: rigShareDecider,
      eventStore,
      codec: codec.for(nodeEvents),
    });
  }

  async run(command: RigShareCommand, context: CommandContext): Promise<void> {
    await this.#nodes.run(`shares-${command.data.rig}`, command, context);
  }
}
