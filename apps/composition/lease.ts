import { leaseDecider } from '#areas/fleet/lease.decider.js';
import { LeaseKeeper } from '#areas/fleet/lease-keeper.js';
import { CommandRunner } from '#platform/runtime/command-runner.js';
import { type Leadership } from '#platform/runtime/leadership.port.js';
import { type Runtime } from '#platform/runtime/runtime.js';
import { type Settings } from './settings.js';

/** Tries for the lease of the readers on behalf of this process. */
export const leadershipOf = (
  { engines, codec }: Runtime,
  { instance, lease }: Settings,
): Leadership => {
  const { eventStore, readStore, clock, logger } = engines;
  const runner = new CommandRunner({ decider: leaseDecider, eventStore, codec });
  return new LeaseKeeper(runner, readStore, { instance, ...lease }, clock, logger);
};
