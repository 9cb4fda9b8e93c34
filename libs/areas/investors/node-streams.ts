import { Inject, Injectable } from '@nestjs/common';
import { type NodeEvent, nodeEvents } from '#events/investors/investor.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type NodeCommand, nodeDecider, type NodeState } from './node.decider.js';

/** Runs the commands of the streams `shares-<rig>`. */
@Injectable()
export class NodeStreams {
  readonly #nodes: CommandRunner<NodeCommand, NodeState, NodeEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    this.#nodes = new CommandRunner({
      decider: nodeDecider,
      eventStore,
      codec: codec.for(nodeEvents),
    });
  }

  async run(command: NodeCommand, context: CommandContext): Promise<void> {
    await this.#nodes.run(`shares-${command.data.rig}`, command, context);
  }
}
