import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEventStoreNode } from '../servers/event-store/event-store.server.js';
import { freePorts } from '../servers/server-process.js';
import { type TestServer } from '../servers/test-server.js';
import { asOperator } from '#apps/operations/operations.fixture.js';
import { answering, startWorld, type World } from './quipu.harness.js';

const ANSWER_MS_MAX = 500;
const POLLS = 15;
const POLL_MS = 200;

interface Polled {
  readonly status: number;
  readonly tookMs: number;
  readonly reasons: readonly string[];
}

describe('readiness while the server of the log hangs', () => {
  let node: TestServer;
  let world: World;
  let ports: readonly string[];

  beforeAll(async () => {
    const [operationsPort = 0] = await freePorts(1);
    node = await startEventStoreNode();
    const environment = {
      QUIPU_EVENT_STORE: node.url.replace('esdb:', 'kurrentdb:'),
      QUIPU_OPERATIONS_PORT: `${operationsPort}`,
    };
    world = await startWorld([answering('Knots', '.')], { environment });
    ports = [world.quipu.url, `http://127.0.0.1:${operationsPort}`];
  });

  afterAll(async () => {
    node.thaw();
    await world.close();
    await node.stop();
  });

  const poll = async (url: string): Promise<Polled> => {
    const startedAt = performance.now();
    const response = await fetch(`${url}/health/ready`, asOperator);
    const { reasons } = (await response.json()) as Polled;
    return { status: response.status, tookMs: performance.now() - startedAt, reasons };
  };

  const untilReady = async (): Promise<void> => {
    for (const url of ports) while ((await poll(url)).status !== 200) await sleep(POLL_MS);
  };

  it('answers within 500 ms on every port, names the log, and recovers', async () => {
    await untilReady();
    node.freeze();
    const polls = new Map(ports.map((url) => [url, [] as Polled[]]));
    for (let round = 0; round < POLLS; round += 1) {
      for (const [url, polled] of polls) polled.push(await poll(url));
      await sleep(POLL_MS);
    }
    for (const polled of polls.values()) {
      const times = polled.map(({ tookMs }) => tookMs).toSorted((one, other) => one - other);
      // The median: on a busy machine the process itself may be late.
      expect(times[Math.floor(POLLS / 2)]).toBeLessThan(ANSWER_MS_MAX);
      const last = polled.at(-1);
      expect(last?.status).toBe(503);
      expect(last?.reasons).toContain('event_log_unavailable');
    }
    node.thaw();
    await untilReady();
  });
});
