import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asOperator } from '#apps/operations/operations.fixture.js';
import {
  openServedTestLog,
  type ServedTestLog,
} from '#platform/event-store/grpc/served-log.fixture.js';
import { answering, chatRequest, eventually, startWorld, type World } from './quipu.harness.js';

const CHATS = 400;
const CHATS_AT_ONCE = 20;

describe('a start from an empty read store', () => {
  let served: ServedTestLog;
  let world: World;

  beforeAll(async () => {
    served = await openServedTestLog();
    const environment = { QUIPU_EVENT_STORE: `esdb://${served.address}?tls=false` };
    world = await startWorld([answering('Knots', '.')], { environment });
    for (let asked = 0; asked < CHATS; asked += CHATS_AT_ONCE) {
      const chats = Array.from({ length: CHATS_AT_ONCE }, () =>
        world.openai.chat.completions.create(chatRequest()),
      );
      await Promise.all(chats);
    }
    await world.quipu.stop();
  });

  afterAll(async () => {
    await world.close();
    await served.dispose();
  });

  it('reads the log of the server twice at most, whatever the number of readers', async () => {
    const size = Number(await served.direct.head());
    expect(size).toBeGreaterThan(2 * CHATS);
    for (const suffix of ['', '-wal', '-shm'])
      await rm(path.join(world.home, `views.db${suffix}`), { force: true });
    served.faulty.eventsRead = 0;
    world = await world.restart();
    const ready = () => fetch(`${world.quipu.url}/health/ready`, asOperator);
    await eventually(async () => (await ready()).status === 200, 30_000);
    expect(served.faulty.eventsRead).toBeGreaterThanOrEqual(size);
    expect(served.faulty.eventsRead).toBeLessThanOrEqual(2 * size);
  });
});
