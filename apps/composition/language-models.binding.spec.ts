import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { TaskSeal } from '#areas/inference/rigs/workers/task.seal.js';
import {
  TaskHeaders,
  taskPlace,
  TASKS_TOPIC,
  TextTask,
} from '#areas/inference/rigs/workers/worker.protocol.js';
import { type Bus, type Delivery } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { bindLanguageModels, type LanguageModels } from './language-models.binding.js';
import { type Settings } from './settings.js';

const NANO = fileURLToPath(new URL('../../models/nano.gguf', import.meta.url));
const HELLO = {
  modelFile: NANO,
  messages: [{ role: 'user', content: 'Who are you?' }],
  maxTokens: 4,
  temperature: 0,
} as const;

describe('what answers for the embedded rigs', () => {
  const key = randomBytes(32);
  const keys: string[] = [];
  let bus: Bus;
  let offered: Delivery[];
  let models: LanguageModels;

  beforeEach(async () => {
    bus = createInProcessBus();
    offered = [];
    await bus.consume({
      topic: TASKS_TOPIC,
      group: 'workers',
      handle: (delivery) => Promise.resolve(void offered.push(delivery)),
    });
  });

  afterEach(async () => {
    await models.close();
    await bus.close();
  });

  const bind = async (target: Settings['bus']): Promise<void> => {
    const secrets = {
      key: (purpose: string) => {
        keys.push(purpose);
        return key;
      },
    } as Secrets;
    const engines = { bus, secrets, logger: pino({ level: 'silent' }), clock: { now: Date.now } };
    models = bindLanguageModels({ bus: target, instance: 'gateway-1' }, engines);
    await models.listen();
  };

  it('is this process when no other could be reached', async () => {
    await bind({ kind: 'memory' });
    const first = await models.stream(HELLO, new AbortController().signal).next();
    expect(first).toMatchObject({ done: false, value: expect.any(String) });
    expect(offered).toEqual([]);
  });

  it('are workers when there is a bus between processes', async () => {
    const brokers = [{ host: 'localhost', port: 9092 }];
    await bind({ kind: 'kafka', client: 'kafkajs', brokers } as unknown as Settings['bus']);
    const caller = new AbortController();
    const first = models.stream(HELLO, caller.signal).next();
    while (offered.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    caller.abort();
    expect(await first).toMatchObject({ done: true });
    expect(keys).toEqual(['worker-tasks']);
    const [{ headers, data } = { headers: {}, data: null }] = offered;
    const { task, attempt, ...rest } = TaskHeaders.parse(headers);
    expect(rest['reply-topic']).toBe('quipu.replies.gateway-1');
    expect(new TaskSeal(key).open(taskPlace(task, attempt), data, TextTask)).toMatchObject({
      messages: HELLO.messages,
      modelSha256: expect.stringMatching(/^d103f293/),
    });
  });
});
