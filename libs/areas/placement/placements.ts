import { Inject, Injectable } from '@nestjs/common';
import { type PlacementEvent, placementEvents } from '#events/placement/placement.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandOutcome, CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type Snapshots } from '#platform/runtime/commands/snapshots.js';
import { CODEC, EVENT_STORE, SNAPSHOTS } from '#platform/runtime/tokens.js';
import {
  type PlacementCommand,
  placementDecider,
  type PlacementState,
} from './placement.decider.js';
import { placementSnapshots } from './placement.snapshot.js';

const STREAM = 'placements-fleet';

/** Runs the commands of all placements. One stream has them, since they share the rigs. */
@Injectable()
export class Placements {
  readonly #runner: CommandRunner<PlacementCommand, PlacementState, PlacementEvent>;

  constructor(
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
    @Inject(SNAPSHOTS) snapshots: Snapshots,
  ) {
    this.#runner = new CommandRunner({
      decider: placementDecider,
      eventStore,
      codec: codec.for(placementEvents),
      snapshots: { store: snapshots, plan: placementSnapshots },
    });
  }

  /** @throws DomainError */
  run(
    command: PlacementCommand,
    context: CommandContext,
  ): Promise<CommandOutcome<PlacementState, PlacementEvent>> {
    return this.#runner.run(STREAM, command, context);
  }

  async state(): Promise<PlacementState> {
    return (await this.#runner.stateOf(STREAM)).state;
  }
}
