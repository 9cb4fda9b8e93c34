import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createTextEngine } from '#areas/inference/text/text-over-tasks.js';
import { TextTask } from '#areas/inference/text/text-task.js';
import { type Bus, type Delivery } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { TaskHeaders, taskPlace, tasksTopicOf } from '#platform/tasks/task.protocol.js';
import { TaskSeal } from '#platform/tasks/task.seal.js';
import { type TaskHosting } from '#platform/tasks/tasks.port.js';
import { readSettings, type Settings } from './settings.js';
import { bindTasks } from './tasks.binding.js';

const NANO = fileURLToPath(new URL('../../models/nano.gguf', import.meta.url));
const HELLO = {
  modelFile: NANO,
  messages: [{ role: 'user', content: 'Who are you?' }],
  maxTokens: 4,
  temperature: 0,
} as const;

describe('the host of engine tasks', () => {
  const key = randomBytes(32);
  const keys: string[] = [];
  let bus: Bus;
  let offered: Delivery[];
  let tasks: TaskHosting;

  beforeEach(async () => {
    bus = createInProcessBus();
    offered = [];
    await bus.consume({
      topic: tasksTopicOf('text'),
      group: 'workers',
      handle: (delivery) => Promise.resolve(void offered.push(delivery)),
    });
  });

  afterEach(async () => {
    await tasks.close();
    await bus.close();
  });

  const bind = async (target: Settings['bus']): Promise<void> => {
    const secrets = {
      messageKey: (purpose: string) => {
        keys.push(purpose);
        return key;
      },
    } as Secrets;
    const engines = { bus, secrets, logger: pino({ level: 'silent' }), clock: { now: Date.now } };
    const settings = { ...readSettings({ QUIPU_INSTANCE: 'gateway-1' }), bus: target };
    tasks = bindTasks(settings, engines);
    await tasks.listen();
  };

  it('is this process without a bus between processes', async () => {
    await bind({ kind: 'memory' });
    const first = await createTextEngine(tasks).stream(HELLO, new AbortController().signal).next();
    expect(first).toMatchObject({ done: false, value: expect.any(String) });
    expect(offered).toEqual([]);
  });

  it('is a worker with a bus between processes', async () => {
    const brokers = [{ host: 'localhost', port: 9092 }];
    await bind({ kind: 'kafka', client: 'kafkajs', brokers } as unknown as Settings['bus']);
    const caller = new AbortController();
    const first = createTextEngine(tasks).stream(HELLO, caller.signal).next();
    while (offered.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    caller.abort();
    expect(await first).toMatchObject({ done: true });
    expect(keys).toEqual(['worker-tasks']);
    const [{ headers, data } = { headers: {}, data: null }] = offered;
    const { task, attempt, ...rest } = TaskHeaders.parse(headers);
    expect(rest['reply-topic']).toBe('quipu.replies.gateway-1');
    expect(new TaskSeal(key).open(taskPlace('text', task, attempt), data, TextTask)).toMatchObject({
      messages: HELLO.messages,
      modelSha256: expect.stringMatching(/^d103f293/),
    });
  });
});
