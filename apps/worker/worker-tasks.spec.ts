import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Delivery } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { drain } from '#platform/tasks/drain.fixture.js';
import {
  cancellationsTopicOf,
  tasksTopicOf,
  workersGroupOf,
} from '#platform/tasks/task.protocol.js';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { Fleet } from './worker.fixture.js';
import { answer, asking, LONG, never, outcomes, runningTasks } from './worker-requests.fixture.js';

/** 16 that generate, 16 that wait, and 4 for whom lines of batches make room. */
const TASKS_MAX = 36;
const TASKS_TOPIC = tasksTopicOf('text');
const CANCELLATIONS_TOPIC = cancellationsTopicOf('text');
const GROUP = workersGroupOf('text');

let fleet: Fleet;

beforeEach(() => {
  fleet = new Fleet(createInProcessBus());
});

afterEach(() => fleet.close());

describe('a task of a worker', () => {
  /** The offers of the gateways, so that a spec can deliver them again as a broker does. */
  const offers = async (): Promise<Delivery[]> => {
    const seen: Delivery[] = [];
    await fleet.bus.consume({
      topic: TASKS_TOPIC,
      group: 'recorder',
      handle: (delivery) => Promise.resolve(void seen.push(delivery)),
    });
    return seen;
  };

  it('runs once, however often it is delivered', async () => {
    const { url } = await fleet.worker();
    const offered = await offers();
    const gateway = fleet.gateway();
    const stream = gateway.stream(LONG, never);
    await stream.next();
    const again = { ...offered[0], id: randomUUID() } as Delivery;
    await fleet.bus.publish(TASKS_TOPIC, [again]);
    await eventually(async () => (await outcomes(url, 'repeated')) === 1);
    expect(await runningTasks(url)).toBe(1);
    await drain(stream);
    await fleet.bus.publish(TASKS_TOPIC, [{ ...again, id: randomUUID() }]);
    await eventually(async () => (await outcomes(url, 'repeated')) === 2);
    expect(await outcomes(url, 'done')).toBe(1);
  });

  it('does not start after its deadline', async () => {
    const { url } = await fleet.worker();
    const headers = {
      task: randomUUID(),
      attempt: '1',
      'reply-topic': 'quipu.replies.watched',
      'take-by': String(Date.now() - 1),
    };
    const replies: Delivery[] = [];
    await fleet.bus.consume({
      topic: 'quipu.replies.watched',
      group: 'watcher',
      handle: (delivery) => Promise.resolve(void replies.push(delivery)),
    });
    const late = { key: headers.task, id: randomUUID(), headers, data: null };
    await fleet.bus.publish(TASKS_TOPIC, [late]);
    await eventually(() => replies.length === 1);
    expect(replies).toMatchObject([{ headers: { kind: 'failed', task: headers.task } }]);
    expect(await outcomes(url, 'expired')).toBe(1);
  });

  it('does not start if it was cancelled before its delivery; a later attempt does', async () => {
    const { url } = await fleet.worker();
    const task = randomUUID();
    const cancellation = { task, through: '2', except: '' };
    const offer = (attempt: number) => {
      const headers = {
        task,
        attempt: String(attempt),
        'reply-topic': 'quipu.replies.unread',
        'take-by': String(Date.now() + 5_000),
      };
      return { key: `${task}.${attempt}`, id: randomUUID(), headers, data: null };
    };
    await fleet.bus.publish(CANCELLATIONS_TOPIC, [
      { key: task, id: randomUUID(), headers: cancellation, data: null },
    ]);
    await sleep(20);
    await fleet.bus.publish(TASKS_TOPIC, [offer(1), offer(2), offer(3)]);
    await eventually(async () => (await outcomes(url, 'unreadable')) === 1);
    expect(await outcomes(url, 'cancelled')).toBe(2);
  });

  it('cannot be read with another master key, and both sides report that', async () => {
    await fleet.worker('worker-1', { key: randomBytes(32) });
    await expect(answer(fleet.gateway(), asking('Hello!'))).rejects.toMatchObject({
      code: 'unreadable',
    });
  });

  it('becomes a dead letter with the reason if it is malformed', async () => {
    await fleet.worker();
    const odd = { key: 'odd', id: randomUUID(), headers: { task: 'odd' }, data: null };
    await fleet.bus.publish(TASKS_TOPIC, [odd]);
    await eventually(async () => (await fleet.bus.deadLetters(TASKS_TOPIC, GROUP)).length === 1);
    expect(await fleet.bus.deadLetters(TASKS_TOPIC, GROUP)).toMatchObject([
      { id: odd.id, reason: expect.stringMatching(/UUID/) },
    ]);
  });

  it('is rejected when the worker is full', async () => {
    const { url } = await fleet.worker('worker-1', { models: { runningMax: 1, waitingMax: 64 } });
    const gateway = fleet.gateway();
    const callers = Array.from({ length: TASKS_MAX }, () => new AbortController());
    const streams = callers.map(({ signal }) => drain(gateway.stream(LONG, signal)));
    await eventually(async () => (await runningTasks(url)) === TASKS_MAX);
    await expect(answer(gateway, asking('Hello!'))).rejects.toMatchObject({ code: 'busy' });
    for (const caller of callers) caller.abort();
    await Promise.all(streams);
    await eventually(async () => (await runningTasks(url)) === 0);
    expect((await answer(gateway, asking('Hello!'))).pieces).not.toEqual([]);
  });
});
