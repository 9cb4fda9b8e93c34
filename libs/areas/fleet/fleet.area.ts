import { Module } from '@nestjs/common';
import { fleetEvents } from '#events/fleet/lease.events.js';
import { type Area } from '#platform/runtime/area.js';
import { fleetRefusals } from './fleet.refusals.js';

/** Nothing to inject: the composition root gives the lease keeper to the runtime. */
@Module({})
export class FleetModule {}

export const fleetArea: Area = {
  name: 'fleet',
  events: fleetEvents,
  projections: [],
  sagas: [],
  sagaCommands: {},
  relays: [],
  refusals: fleetRefusals,
  module: FleetModule,
};
