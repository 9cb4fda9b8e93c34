import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asOperator } from '#apps/operations/operations.fixture.js';
import { accountEvents } from '#events/billing/account.events.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import {
  openServedTestLog,
  type ServedTestLog,
} from '#platform/event-store/grpc/served-log.fixture.js';
import { fillAccounts } from '../bench/chat-log.js';
import { answering, eventually, startWorld, type World } from './quipu.harness.js';

const ACCOUNTS = 40;
const CHARGES = 100;
const SECOND_MS = 1_000;

/** Who waits for a read model looks this far for an event of it, with the rest of the page. */
const EVENTS_SEARCHED = 1_028;

interface Readiness {
  readonly projections: readonly { readonly lag: string }[];
}

describe('a start from an empty read store', () => {
  let served: ServedTestLog;
  let world: World;

  beforeAll(async () => {
    served = await openServedTestLog();
    const environment = { QUIPU_EVENT_STORE: `kurrentdb://${served.address}?tls=false` };
    world = await startWorld([answering('Knots', '.')], { environment });
    await world.quipu.stop();
    const ids = Array.from({ length: ACCOUNTS }, (_, index) => `filled-${index}`);
    const codec = new EventCodec(accountEvents);
    await fillAccounts(served.direct, codec, ids, { charges: CHARGES, everyMs: SECOND_MS });
  });

  afterAll(async () => {
    await world.close();
    await served.dispose();
  });

  it('reads the log of the server twice at most, whatever the number of readers', async () => {
    const size = Number(await served.direct.head());
    expect(size).toBeGreaterThan(2 * ACCOUNTS * CHARGES);
    for (const suffix of ['', '-wal', '-shm'])
      await rm(path.join(world.home, `views.db${suffix}`), { force: true });
    served.faulty.eventsRead = 0;
    world = await world.restart();
    let readModels = 0;
    await eventually(async () => {
      const answer = await fetch(`${world.quipu.url}/health/ready`, asOperator);
      const { projections } = (await answer.json()) as Readiness;
      readModels = projections.length;
      return readModels > 0 && projections.every(({ lag }) => lag === '0');
    });
    expect(served.faulty.eventsRead).toBeGreaterThanOrEqual(size);
    const searched = readModels * EVENTS_SEARCHED;
    expect(served.faulty.eventsRead).toBeLessThanOrEqual(2 * size + searched);
    // Each read model for itself would read far more.
    expect(2 * size + searched).toBeLessThan((readModels * size) / 5);
  });
});
