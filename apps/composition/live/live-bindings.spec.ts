import { describe, expect, it } from '@jest/globals';
import { imagesEngine } from '#areas/images/images.engine.js';
import { type ImageTask } from '#areas/live/scenes.engine.js';
import { engineBeatOf, heartbeatOf } from '#platform/tasks/worker-heartbeat.fixture.js';
import { type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';
import { DrawingRigs } from './drawing-rigs.binding.js';
import { FrameTasks } from './frame-tasks.binding.js';

const standing = (badge: 'gold' | null) =>
  ({ execute: () => Promise.resolve([{ badge }]) }) as never;
const catalog = (...kinds: readonly string[]) => ({
  rigs: () => kinds.map((kind) => ({ name: kind, kind, description: null }) as never),
});
const drawing = (runningTasks: number, ready = true) =>
  engineBeatOf(imagesEngine.name, { tasksMax: 4, runningTasks, ready });
const worker = (name: string, ...engines: WorkerHeartbeat['engines']) =>
  heartbeatOf(name, { rig: { name, region: null }, engines });
const heard = (...workers: readonly WorkerHeartbeat[]) => ({
  ready: () => Promise.resolve(workers),
  ping: (worker: string) => Promise.resolve(worker === 'idle' ? 7 : null),
});

describe('the rig of a stream session', () => {
  it('is the embedded rig of the catalog where no bus connects processes', async () => {
    const rigs = new DrawingRigs(catalog('openai', 'embedded'), null, standing('gold'));
    expect(await rigs.assign()).toEqual({ name: 'embedded', badge: 'gold', pingMs: null });
    expect(await new DrawingRigs(catalog('openai'), null, standing(null)).assign()).toBeNull();
  });

  it('is the worker with the least load among the ones that draw', async () => {
    const workers = heard(
      worker('busy', drawing(3)),
      worker('text', engineBeatOf('text')),
      worker('idle', drawing(1)),
      worker('broken', drawing(0, false)),
    );
    const rigs = new DrawingRigs(catalog('embedded'), workers, standing(null));
    expect(await rigs.assign()).toEqual({ name: 'idle', badge: null, pingMs: 7 });
    expect(await new DrawingRigs(catalog('embedded'), heard(), standing(null)).assign()).toBeNull();
  });

  it('draws while it is up, and else any that can', async () => {
    const workers: unknown[] = [];
    const tasks = {
      async *run(engine: unknown, _task: unknown, _signal: unknown, options: unknown) {
        workers.push([engine === imagesEngine, options]);
        yield* await Promise.resolve([]);
        return 'end';
      },
    };
    const status = { ready: true };
    const directory = {
      rig: (name: string) =>
        name === 'idle'
          ? { heartbeat: worker('idle', drawing(0)), isSilent: !status.ready }
          : undefined,
    };
    const frames = new FrameTasks(tasks as never, directory);
    const draw = (rig: string) => frames.draw({} as ImageTask, rig, new AbortController().signal);
    expect(await draw('idle')).toBe('end');
    status.ready = false;
    await draw('idle');
    await draw('built-in');
    expect(workers).toEqual([
      [true, { worker: 'idle' }],
      [true, {}],
      [true, {}],
    ]);
  });
});
