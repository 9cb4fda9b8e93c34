import { beforeEach, describe, expect, it } from '@jest/globals';
import { WorkerRigQuery, WorkerRigsQuery } from '#areas/fleet/worker-rigs.queries.js';
import { at, DESCRIPTION, PROCESS } from '#areas/fleet/worker-rig.fixture.js';
import { type RigStatus } from '#areas/inference/rigs/rig-state.js';
import { type RigStanding, RigStandingsQuery } from '#areas/rigs/certifications.queries.js';
import { type HeardRig } from '#platform/tasks/worker-directory.js';
import { engineBeatOf, heartbeatOf } from '#platform/tasks/worker-heartbeat.fixture.js';
import { NO_TELEMETRY } from '#platform/telemetry/telemetry.js';
import { type WorkerRig } from '#projections/fleet/worker-rigs.projection.js';
import { RigViews } from './rig-views.js';

const WORKER_RIG: WorkerRig = {
  ...PROCESS,
  description: DESCRIPTION,
  presence: 'up',
  drain: 'none',
  firstRegisteredAt: at(0),
  changedAt: at(0),
  history: [{ event: 'registered', at: at(0) }],
  spans: [
    {
      from: at(0),
      to: at(60),
      heartbeats: 720,
      doneTasks: 9,
      doneTasksTotal: 9,
      temperatureMaxC: 61,
      powerMeanW: null,
    },
  ],
};

const CERTIFIED: NonNullable<RigStanding['certification']> = {
  certificationId: '01890a5d-ac96-474b-8cce-b302099a8057',
  rig: 'press',
  kind: 'worker',
  description: DESCRIPTION,
  models: [{ id: 'quipu/nano', isListed: true }],
  measuredModel: 'quipu/nano',
  measurements: {
    firstTokenMs: 41,
    firstTokenSamples: 5,
    tokensPerSecond: 80,
    concurrentStreams: 8,
    tokensPerSecondConcurrent: 200,
    isAnswerConsistent: true,
  },
  problems: [],
  measuredAt: at(5),
  badge: 'gold',
  thresholds: [],
  expiresAt: at(43_205),
};

const STATUS: RigStatus = {
  name: 'vllm',
  breaker: 'open',
  breakerSinceMs: null,
  trialAtMs: null,
  inFlight: 3,
  maxConcurrency: 64,
  errorRate: 0,
  lastFailure: 'failed',
  region: 'na',
  firstTokenMs: { 'acme/one': 41 },
};

const heartbeat = heartbeatOf('rack-7', {
  rig: { name: 'press', region: 'uk' },
  startedAt: PROCESS.startedAt,
  sentAt: at(61),
  hardware: {
    hostMemoryBytes: 1_024,
    processor: 'AMD EPYC 9654',
    cores: 8,
    devices: [{ name: 'NVIDIA T4', memoryBytes: 512 }],
  },
  telemetry: {
    ...NO_TELEMETRY,
    memoryUsedBytes: 700,
    devices: [{ temperatureC: 61, powerW: 70.5, utilisationPct: null, memoryUsedBytes: 300 }],
  },
  engines: [engineBeatOf('text', { runningTasks: 2, doneTasks: 9, busyMs: 3_000 })],
});

describe('the views of rigs', () => {
  let worker: WorkerRig | null;
  let heard: HeardRig | undefined;
  let standing: RigStanding | null;

  const uncertified = { badge: null, status: 'never_certified', certification: null };
  const execute = (query: object): Promise<unknown> => {
    if (query instanceof WorkerRigsQuery) return Promise.resolve(worker ? [worker] : []);
    if (query instanceof WorkerRigQuery) {
      return Promise.resolve(worker?.rig === query.rig ? worker : null);
    }
    if (query instanceof RigStandingsQuery) {
      const standings = query.rigs.map(({ name: rig, description }) =>
        description === DESCRIPTION && standing ? standing : { rig, ...uncertified },
      );
      return Promise.resolve(standings);
    }
    return Promise.reject(new Error('no such query'));
  };
  const rigs = [{ name: 'vllm', kind: 'openai', streamsMax: 48, models: [{ id: 'acme/one' }] }];
  const views = new RigViews(
    { rigs: () => rigs } as never,
    { execute } as never,
    { status: () => [STATUS] },
    { rig: () => heard } as never,
  );

  beforeEach(() => {
    worker = WORKER_RIG;
    heard = { heartbeat, isSilent: false };
    standing = null;
  });

  const PRESS = {
    id: 'press',
    rig_id: 145_340_810_289_304,
    name: 'press',
    source: 'worker',
    kind: 'worker',
    region: 'uk',
    state: 'up',
    models: ['nano'],
    brand: 'NVIDIA',
    device: 'NVIDIA T4',
    memory_bytes: 512,
    in_flight: 2,
    max_concurrency: 4,
    tasks_per_second: 3,
    first_token_ms: {},
    ...uncertified,
  };

  it('are the rigs of the catalog and of workers, in one shape', async () => {
    expect(await views.list()).toEqual([
      {
        id: 'vllm',
        rig_id: 260_043_218_083_302,
        name: 'vllm',
        source: 'catalog',
        kind: 'openai',
        region: 'na',
        state: 'down',
        models: ['acme/one'],
        brand: null,
        device: null,
        memory_bytes: null,
        in_flight: 3,
        max_concurrency: 64,
        tasks_per_second: null,
        first_token_ms: { 'acme/one': 41 },
        ...uncertified,
      },
      PRESS,
    ]);
  });

  it('have their telemetry, engines and history in their own document', async () => {
    const none = { temperature_c: null, power_w: null, utilisation_pct: null };
    expect(await views.find('press')).toEqual({
      ...PRESS,
      started_at: PROCESS.startedAt,
      last_heard_at: at(61),
      telemetry: {
        measured_at: at(61),
        processors: none,
        memory_used_bytes: 700,
        devices: [
          {
            name: 'NVIDIA T4',
            memory_bytes: 512,
            ...none,
            temperature_c: 61,
            power_w: 70.5,
            memory_used_bytes: 300,
          },
        ],
      },
      engines: [
        {
          name: 'text',
          tasks_max: 4,
          running_tasks: 2,
          done_tasks: 9,
          tasks_per_second: 3,
          models: DESCRIPTION.engines[0]?.models,
        },
      ],
      history: [{ event: 'registered', at: at(0) }],
      summaries: [
        {
          from: at(0),
          to: at(60),
          heartbeats: 720,
          done_tasks: 9,
          temperature_max_c: 61,
          power_mean_w: null,
        },
      ],
    });
    expect(await views.find('vllm')).toMatchObject({
      source: 'catalog',
      telemetry: null,
      engines: null,
      history: [],
      summaries: [],
    });
    expect(await views.find('none')).toBeNull();
  });

  it('have the last certification of a worker, and its moment in the history', async () => {
    const history: WorkerRig['history'] = [
      { event: 'changed', at: at(9) },
      { event: 'registered', at: at(0) },
    ];
    worker = { ...WORKER_RIG, history };
    standing = { rig: 'press', badge: null, status: 'outdated', certification: CERTIFIED };
    const shown = {
      badge: null,
      status: 'outdated',
      certification: { id: CERTIFIED.certificationId, badge: 'gold', measured_at: at(5) },
    };
    expect(await views.find('press')).toMatchObject({
      ...shown,
      history: [history[0], { event: 'certified', at: at(5) }, history[1]],
    });
    expect((await views.list()).at(-1)).toMatchObject(shown);
  });

  it.each<[string, Partial<WorkerRig>]>([
    ['draining', { drain: 'requested' }],
    ['drained', { drain: 'done' }],
    ['lost', { presence: 'lost', drain: 'requested' }],
    ['stopped', { presence: 'stopped' }],
  ])('are shown as %s', async (state, change) => {
    worker = { ...WORKER_RIG, ...change };
    expect(await views.find('press')).toMatchObject({ state });
  });

  it.each<[string, HeardRig | undefined]>([
    ['are not heard', undefined],
    ['are silent', { heartbeat, isSilent: true }],
    [
      'are heard as an earlier process',
      { heartbeat: { ...heartbeat, startedAt: at(-9) }, isSilent: false },
    ],
  ])('have no measured value while they %s', async (_, last) => {
    heard = last;
    expect(await views.find('press')).toMatchObject({
      in_flight: null,
      tasks_per_second: null,
      telemetry: null,
      engines: [{ running_tasks: null, done_tasks: null, tasks_per_second: null }],
    });
  });
});
