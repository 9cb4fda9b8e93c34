import { describe, expect, it } from '@jest/globals';
import { type Catalog } from '#areas/catalog/catalog.js';
import { type LeadershipStatus } from '#platform/runtime/lease/leadership.port.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { type Runtime } from '#platform/runtime/runtime.js';
import { type TaskHosting } from '#platform/tasks/tasks.port.js';
import { TasksLifecycle } from './tasks.lifecycle.js';

const UPSTREAM = { id: 'acme/upstream', file: null };
const BY_WORKERS = { id: 'quipu/nano', file: '/models/nano.gguf' };
const STANDBY: LeadershipStatus = {
  group: 'reactions',
  role: 'standby',
  instance: 'gateway-1',
  token: '7',
  holder: null,
  failure: null,
  election: 'log',
  candidates: null,
};
const SAGA: RunnerStatus = {
  name: 'hold-expiry',
  phase: 'live',
  position: 1n,
  failure: null,
  retryAt: null,
};

interface Parts {
  readonly role: ProcessRole['name'];
  readonly models: readonly { readonly id: string; readonly file: string | null }[];
  readonly listen: () => Promise<void>;
  readonly lease: LeadershipStatus | null;
  readonly reactions: readonly RunnerStatus[];
}

const open = ({
  role = 'gateway',
  models = [BY_WORKERS],
  listen = () => Promise.resolve(),
  lease = null,
  reactions = [],
}: Partial<Parts> = {}) => {
  const warnings: unknown[] = [];
  const runtime = { leadership: () => lease, reactions: () => reactions } as unknown as Runtime;
  const tasks = { listen, close: () => Promise.resolve() } as TaskHosting;
  const catalog = { models: () => models } as unknown as Catalog;
  const logger = { warn: (fields: unknown) => void warnings.push(fields) };
  const lifecycle = new TasksLifecycle(tasks, new ProcessRole(role), runtime, logger, catalog);
  return { lifecycle, warnings };
};

const settle = () => new Promise((resolve) => setImmediate(resolve));

const missing = (reason: string) => ({
  code: 'worker_replies_unavailable',
  detail: `replies of workers are not received: ${reason}`,
});

describe('the tasks of a gateway', () => {
  const never = () => new Promise<void>(() => undefined);

  it('do not delay the start, and are missing until replies are received', async () => {
    let listening = (): void => undefined;
    const listen = () => new Promise<void>((resolve) => (listening = resolve));
    const { lifecycle } = open({ listen });
    lifecycle.onApplicationBootstrap();
    expect(lifecycle.readiness()).toEqual({
      reasons: [missing('the broker has not answered yet')],
      facts: { tasks: { ready: false, reason: 'the broker has not answered yet' } },
    });
    listening();
    await settle();
    expect(lifecycle.readiness()).toEqual({
      reasons: [],
      facts: { tasks: { ready: true, reason: null } },
    });
  });

  it('are tried again after a failure, with its reason', async () => {
    let attempts = 0;
    const listen = () => {
      attempts += 1;
      return attempts === 1 ? Promise.reject(new Error('no broker answers')) : Promise.resolve();
    };
    const { lifecycle, warnings } = open({ listen });
    lifecycle.onApplicationBootstrap();
    await settle();
    const reasons = [missing('no broker answers')];
    expect(lifecycle.readiness()).toMatchObject({ reasons });
    expect(warnings).toEqual([{ reason: 'no broker answers' }]);
    while (lifecycle.readiness().reasons.length > 0) await settle();
    expect(attempts).toBe(2);
  });

  it('are not missed when other servers run all models', () => {
    const { lifecycle } = open({ listen: never, models: [UPSTREAM] });
    lifecycle.onApplicationBootstrap();
    expect(lifecycle.readiness()).toMatchObject({
      reasons: [],
      facts: { tasks: { ready: false } },
    });
  });

  it('are not prepared in a process that serves no callers', () => {
    let attempts = 0;
    const listen = () => Promise.resolve(void (attempts += 1));
    const { lifecycle } = open({ role: 'projector', listen });
    lifecycle.onApplicationBootstrap();
    expect(attempts).toBe(0);
    expect(lifecycle.readiness()).toEqual({ reasons: [], facts: {} });
  });

  it('are not tried again after the stop', async () => {
    let attempts = 0;
    const listen = () => {
      attempts += 1;
      return Promise.reject(new Error('no broker answers'));
    };
    const { lifecycle } = open({ listen });
    lifecycle.onApplicationBootstrap();
    await settle();
    await lifecycle.onApplicationShutdown();
    await settle();
    expect(attempts).toBe(1);
  });
});

describe('the bus', () => {
  it.each<[string, Partial<Parts>, boolean]>([
    ['a gateway whose models run elsewhere', { models: [UPSTREAM] }, false],
    ['a gateway without models', { models: [] }, false],
    ['a gateway with a model of workers', { models: [UPSTREAM, BY_WORKERS] }, true],
    ['a gateway that runs sagas', { models: [], reactions: [SAGA] }, true],
    ['a gateway that may run sagas', { models: [], lease: STANDBY }, true],
    ['a projector', { role: 'projector', models: [] }, true],
  ])('is a need of %s: %j', (_, parts, expected) => {
    expect(open(parts).lifecycle.needsBus()).toBe(expected);
  });
});
