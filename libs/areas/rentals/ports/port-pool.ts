import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type JobId } from '#events/jobs/job.events.js';
import {
  type PortBlockEvent,
  portBlockEvents,
  type PortBlockReleased,
} from '#events/rentals/rental.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type Snapshots } from '#platform/runtime/commands/snapshots.js';
import { CLOCK, CODEC, EVENT_STORE, LOGGER, SNAPSHOTS } from '#platform/runtime/tokens.js';
import { RENTAL_SETTINGS, type RentalSettings } from '../rentals.settings.js';
import {
  type PortPoolCommand,
  portPoolDecider,
  type PortPoolState,
  type ReservedBlock,
} from './port-pool.decider.js';
import { portPoolSnapshots } from './port-pool.snapshot.js';

const STREAM = 'rental-ports';

/** The block of a rental that has not ended. */
export interface RentedBlock extends ReservedBlock {
  readonly rentalId: JobId;
}

/** Reserves ports and numbers for rentals. */
@Injectable()
export class PortPool {
  readonly #runner: CommandRunner<PortPoolCommand, PortPoolState, PortBlockEvent>;

  constructor(
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
    @Inject(SNAPSHOTS) store: Snapshots,
    @Inject(RENTAL_SETTINGS) private readonly settings: Pick<RentalSettings, 'ports'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#runner = new CommandRunner({
      decider: portPoolDecider,
      eventStore,
      codec: codec.for(portBlockEvents),
      snapshots: { store, plan: portPoolSnapshots },
      onSnapshotFailure: (err) =>
        logger.warn({ err }, 'the snapshot of the ports failed; the log serves instead'),
    });
  }

  /**
   * The block of a rental, which a repetition finds again.
   * @throws DomainError `ports_exhausted`
   */
  async reserve(
    rentalId: JobId,
    accountId: string,
    context: CommandContext,
  ): Promise<ReservedBlock> {
    const { first, last } = this.settings.ports;
    const data = { rentalId, accountId, first, last, reservedAt: instant(this.clock) };
    const { state } = await this.#runner.run(STREAM, { type: 'ReservePortBlock', data }, context);
    const block = state.blocks.get(rentalId);
    if (!block) throw new Error(`the rental ${rentalId} has no ports after it reserved some`);
    return block;
  }

  /** Does nothing for a rental without ports. */
  async release(
    rentalId: JobId,
    reason: PortBlockReleased['data']['reason'],
    context: CommandContext,
  ): Promise<void> {
    const data = { rentalId, reason, releasedAt: instant(this.clock) };
    await this.#runner.run(STREAM, { type: 'ReleasePortBlock', data }, context);
  }

  /** The rental with this number, as the log has it now; undefined once it has ended. */
  async find(number: number): Promise<RentedBlock | undefined> {
    const { state } = await this.#runner.stateOf(STREAM);
    const found = state.blocks.findEntry((block) => block.number === number);
    return found && { ...found[1], rentalId: found[0] as JobId };
  }
}
