import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { counted, follow, readLog, readStream } from '#platform/event-store/event-store.fixture.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { asOperator, operationsSettings } from '../operations/operations.fixture.js';
import { createOperationsApplication } from '../operations/operations.application.js';
import { EventStoreMetrics } from './event-store.metrics.js';
import { EventStoreModule } from './event-store.module.js';
import { EventStoreOperations } from './event-store.operations.js';
import { MeasuredEventStore } from './measured-event-store.js';

describe('health and metrics of the event store', () => {
  let folder: string;
  let eventStore: EventStore;
  let app: NestFastifyApplication;
  let url: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-log-'));
    const log = await openSqliteEventStore({ file: path.join(folder, 'events.db') });
    const metrics = new EventStoreMetrics();
    eventStore = new MeasuredEventStore(log, metrics);
    const operations = new EventStoreOperations(eventStore, metrics);
    const module = EventStoreModule.of(operations, metrics.registry, operationsSettings);
    app = await createOperationsApplication(module, pino({ level: 'silent' }));
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });

  afterEach(async () => {
    await app.close();
    await eventStore.close();
    await rm(folder, { recursive: true });
  });

  const ask = (route: string) => fetch(url + route, asOperator);
  const metric = async (name: string): Promise<number> => {
    const text = await (await ask('/metrics')).text();
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    return Number(line?.slice(name.length));
  };
  const appendsThatEnded = (outcome: string) =>
    metric(`quipu_log_append_duration_seconds_count{outcome="${outcome}"}`);

  it('count appended events, and rejected ones by reason', async () => {
    await eventStore.append('job-1', counted(3), 'no-stream');
    await eventStore.append('job-2', counted(1), 'no-stream');
    await expect(eventStore.append('job-1', counted(1), 'no-stream')).rejects.toThrow('job-1');
    await expect(eventStore.append('job-3', [], 'any')).rejects.toThrow('one event');
    expect(await appendsThatEnded('appended')).toBe(2);
    expect(await appendsThatEnded('stale-revision')).toBe(1);
    expect(await appendsThatEnded('invalid-append')).toBe(1);
    expect(await metric('quipu_log_events_total')).toBe(4);
    expect(await metric('quipu_log_head_position')).toBe(4);
  });

  it('count the events that were read', async () => {
    await eventStore.append('job-1', counted(3), 'no-stream');
    await readLog(eventStore);
    await readStream(eventStore, 'job-1');
    await follow(eventStore, {}, (events) => events.length === 3);
    expect(await metric('quipu_log_events_read_total')).toBe(9);
  });

  it('time appends', async () => {
    await eventStore.append('job-1', counted(1), 'no-stream');
    const seconds = 'quipu_log_append_duration_seconds_sum{outcome="appended"}';
    expect(await metric(seconds)).toBeGreaterThan(0);
  });

  it('count subscriptions while they are open', async () => {
    await eventStore.append('job-1', counted(1), 'no-stream');
    let open = Number.NaN;
    await follow(eventStore, {}, async () => {
      open = await metric('quipu_log_subscriptions');
      return true;
    });
    expect(open).toBe(1);
    expect(await metric('quipu_log_subscriptions')).toBe(0);
  });

  it('report whether the log accepts appends', async () => {
    expect((await ask('/health/live')).status).toBe(200);
    expect((await ask('/health/ready')).status).toBe(200);
    expect(await metric('quipu_log_writable')).toBe(1);
    await eventStore.close();
    const ready = await ask('/health/ready');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({
      status: 'not_ready',
      reasons: ['event_log_unavailable'],
      details: [
        'the log cannot be written: the event store is closed',
        'the head of the log cannot be read',
      ],
      event_store: { writable: false, reason: 'the event store is closed' },
      head: null,
    });
    expect(await metric('quipu_log_writable')).toBe(0);
    expect((await ask('/health/live')).status).toBe(200);
  });

  it('are the only routes', async () => {
    expect((await ask('/v1/models')).status).toBe(404);
  });
});
