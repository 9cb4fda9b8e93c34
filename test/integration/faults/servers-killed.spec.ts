import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../end-to-end/quipu.harness.js';
import { type TestServer } from '../../servers/test-server.js';
import {
  BUILT_IN,
  type FleetUnderFault,
  SESSION_MS,
  startFleetUnderFault,
} from './fleet-under-fault.harness.js';
import { Load, type LoadOptions } from './load.js';
import { expectSound, expectHonestFailures } from './sound.js';

/** The time in which `/health/ready` reports the absence of a server. */
const NOTICED_MS = 30_000;
/** The time in which a request fails. Retries hide shorter absences. */
const FAILED_MS = 60_000;
/** The time in which the fleet recovers after the start of the server. */
const READY_MS = 60_000;

describe('a fleet under load, of which a server', () => {
  let fleet: FleetUnderFault;
  const loads: Load[] = [];

  beforeAll(async () => {
    fleet = await startFleetUnderFault({ gateways: 2, projectors: 2, workers: 1 });
  });

  afterEach(async () => {
    await Promise.all(loads.splice(0).map((load) => load.leave()));
  });

  afterAll(() => fleet.close());

  const begin = async (options: LoadOptions = {}): Promise<Load> => {
    const load = new Load(fleet, options);
    loads.push(load);
    await load.answers(10, READY_MS);
    return load;
  };

  const saysSo = (code: string): Promise<void> =>
    eventually(async () => {
      const report = await fleet.gateways[0]?.report();
      return report?.status === 'not_ready' && report.reasons.includes(code);
    }, NOTICED_MS);

  /** Kills a server until health and callers report the failure, then restarts the server. */
  const loseAndRegain = async (
    server: TestServer,
    code: string,
    load: Load,
    readyMs = READY_MS,
  ): Promise<void> => {
    await server.kill();
    await saysSo(code);
    await load.fails(FAILED_MS);
    await server.restart();
    const backAt = performance.now();
    await fleet.allReady();
    await load.answers(10, readyMs);
    expect(performance.now() - backAt).toBeLessThan(readyMs);
  };

  const expectAllSound = async (): Promise<void> => {
    await Promise.all(loads.map((load) => load.stop()));
    for (const load of loads) {
      expectHonestFailures(load);
      await expectSound(fleet, load);
    }
  };

  it('is killed: the event store', async () => {
    await loseAndRegain(fleet.servers.eventStore, 'event_log_unavailable', await begin());
    await expectAllSound();
  });

  it('is killed: MongoDB', async () => {
    await loseAndRegain(fleet.servers.mongodb, 'read_store_unavailable', await begin());
    await expectAllSound();
  });

  it('is killed: Kafka, on which only the built-in model depends', async () => {
    const elsewhere = await begin();
    const builtIn = await begin({ model: BUILT_IN });
    // The groups continue when the sessions of the disconnected members have ended.
    await loseAndRegain(fleet.servers.kafka, 'bus_unavailable', builtIn, SESSION_MS + READY_MS);
    await expectAllSound();
    expect(elsewhere.failed).toEqual([]);
  });
});
