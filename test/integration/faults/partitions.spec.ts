import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Member } from '../../end-to-end/fleet.harness.js';
import { eventually } from '../../end-to-end/quipu.harness.js';
import { type FaultProxy, type NetworkWeather } from '../../servers/fault-proxy.js';
import {
  BUILT_IN,
  type FleetUnderFault,
  startFleetUnderFault,
} from './fleet-under-fault.harness.js';
import { Load, type LoadOptions } from './load.js';
import { expectSound, expectHonestFailures } from './sound.js';

/** The time in which `/health/ready` reports a partition. */
const NOTICED_MS = 30_000;
/** The time in which the fleet recovers. */
const READY_MS = 60_000;

const SILENT: NetworkWeather = { kind: 'silent' };
const RESETTING: NetworkWeather = { kind: 'resetting' };
const SLOW: NetworkWeather = { kind: 'slow', latencyMs: 100 };
const FAIR: NetworkWeather = { kind: 'fair' };

describe('a fleet under load, of which the network between', () => {
  let fleet: FleetUnderFault;
  let load: Load | undefined;
  let disturbed: FaultProxy | undefined;

  beforeAll(async () => {
    fleet = await startFleetUnderFault({ gateways: 1, projectors: 1, workers: 1 });
  });

  afterEach(async () => {
    disturbed?.become(FAIR);
    await load?.leave();
  });

  afterAll(() => fleet.close());

  /** @param says the process that reports the partition, and its code; undefined: none does */
  const disturb = async (
    network: FaultProxy,
    weather: NetworkWeather,
    says: readonly [member: Member | undefined, code: string] | undefined,
    options: LoadOptions = {},
  ): Promise<Load> => {
    load = new Load(fleet, options);
    disturbed = network;
    await load.answers(10, READY_MS);
    network.become(weather);
    if (says) {
      const [member, code] = says;
      await eventually(async () => {
        const report = await member?.report();
        return report?.status === 'not_ready' && report.reasons.includes(code);
      }, NOTICED_MS);
    } else await load.answers(10, READY_MS);
    network.become(FAIR);
    const fairAt = performance.now();
    await fleet.allReady();
    await load.answers(10, READY_MS);
    expect(performance.now() - fairAt).toBeLessThan(READY_MS);
    await load.stop();
    expectHonestFailures(load);
    await expectSound(fleet, load);
    return load;
  };

  it.each([
    ['falls silent', SILENT],
    ['resets', RESETTING],
  ])('the gateway and the event store %s', async (_, weather) => {
    const says = [fleet.gateways[0], 'event_log_unavailable'] as const;
    await disturb(fleet.networks.gatewaysToLog, weather, says);
  });

  it('the gateway and the event store is slow', async () => {
    const { failed } = await disturb(fleet.networks.gatewaysToLog, SLOW, undefined);
    expect(failed).toEqual([]);
  });

  it.each([
    ['falls silent', SILENT],
    ['resets', RESETTING],
  ])('the projector and the read models %s', async (_, weather) => {
    const says = [fleet.projectors[0], 'read_store_unavailable'] as const;
    const { failed } = await disturb(fleet.networks.projectorsToReadModels, weather, says);
    // Chats need no projection.
    expect(failed).toEqual([]);
  });

  it.each([
    ['falls silent', SILENT],
    ['resets', RESETTING],
  ])('gateway, worker and Kafka %s', async (_, weather) => {
    const says = [fleet.workers[0], 'bus_unavailable'] as const;
    await disturb(fleet.networks.allToBus, weather, says, { model: BUILT_IN });
  });
});
