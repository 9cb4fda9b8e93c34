import { platformEvents } from '#events/platform/lease.events.js';
import { CommandRunner } from '../command-runner.js';
import { type Runtime } from '../runtime.js';
import { type Leadership } from './leadership.port.js';
import { leaseDecider } from './lease.decider.js';
import { LeaseKeeper, type LeaseSettings } from './lease-keeper.js';

/** Competes for the lease of the readers on behalf of this process. */
export const leaseLeadership = (
  { engines, codec }: Pick<Runtime, 'engines' | 'codec'>,
  settings: LeaseSettings,
): Leadership => {
  const { eventStore, readStore, clock, logger } = engines;
  const events = codec.for(platformEvents);
  const runner = new CommandRunner({ decider: leaseDecider, eventStore, codec: events });
  return new LeaseKeeper(runner, readStore, settings, clock, logger);
};
