import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type StationEvent } from '#events/orbit/orbit.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Station } from '#projections/orbit/stations.projection.js';
import {
  type StationCommand,
  stationNamed,
  type StationOrder,
  type StationState,
} from './station.decider.js';
import { reject } from './orbit.errors.js';

export type StationRunner = CommandRunner<StationCommand, StationState, StationEvent>;
export const STATION_RUNNER = Symbol('StationRunner');

const STREAM = 'orbit-stations';

export interface RegisteredStation {
  readonly station: Station;
  readonly position: bigint;
}

/** Registers a station; the same one again has the same id. */
export class RegisterStationCommand extends Command<RegisteredStation> {
  constructor(
    readonly station: Omit<StationOrder, 'registeredAt'>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RegisterStationCommand)
export class RegisterStationHandler implements ICommandHandler<RegisterStationCommand> {
  constructor(
    @Inject(STATION_RUNNER) private readonly runner: StationRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `station_name_taken`, `too_many_stations` */
  async execute({ station, context }: RegisterStationCommand): Promise<RegisteredStation> {
    const data = { ...station, registeredAt: instant(this.clock) };
    const { state, position } = await this.runner.run(
      STREAM,
      { type: 'RegisterStation', data },
      context,
    );
    const registered = stationNamed(station.name, state.open);
    return registered
      ? { station: registered, position }
      : reject('station_not_found', `station ${station.name} was retired meanwhile`);
  }
}

export class RetireStationCommand extends Command<void> {
  constructor(
    readonly stationId: number,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RetireStationCommand)
export class RetireStationHandler implements ICommandHandler<RetireStationCommand> {
  constructor(
    @Inject(STATION_RUNNER) private readonly runner: StationRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `station_not_found`, `station_built_in` */
  async execute({ stationId, context }: RetireStationCommand): Promise<void> {
    const data = { stationId, retiredAt: instant(this.clock) };
    await this.runner.run(STREAM, { type: 'RetireStation', data }, context);
  }
}
