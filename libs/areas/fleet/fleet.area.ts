import { Module } from '@nestjs/common';
import { fleetEvents } from '#events/fleet/lease.events.js';
import { defineArea } from '#platform/runtime/area.js';
import { fleetRefusals } from './fleet.refusals.js';

/** Nothing to inject: the composition root gives the lease keeper to the runtime. */
@Module({})
export class FleetModule {}

export const fleetArea = defineArea({
  name: 'fleet',
  events: fleetEvents,
  errors: fleetRefusals,
  module: FleetModule,
});
