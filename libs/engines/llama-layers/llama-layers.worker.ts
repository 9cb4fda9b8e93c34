/** The thread that generates, away from the event loop of the process. */
import { workerData } from 'node:worker_threads';
import { portOfThread } from '#platform/threads/request-listener.js';
import {
  type FromThread,
  type LayersTask,
  type ThreadFailure,
  type ThreadSettings,
  type ToThread,
} from './llama-layers.protocol.js';
import { generate } from './run/generate.js';
import { LayerHost } from './run/layer-host.js';
import { type LayeredModel } from './run/layered-model.js';
import { type LayerRun } from './run/layer-run.js';

interface Job {
  isCancelled: boolean;
  unread: number;
  wake: () => void;
}

const settings = workerData as ThreadSettings;
const port = portOfThread();
const host = new LayerHost(settings);
const jobs = new Map<number, Job>();

const send = (message: FromThread): void => port.postMessage(message);

const failureOf = (error: unknown): ThreadFailure => {
  const known = error instanceof Error && 'code' in error ? error.code : null;
  const message = error instanceof Error ? error.message : String(error);
  return { code: typeof known === 'string' ? known : 'model_failed', message };
};

const answer = async (
  id: number,
  job: Job,
  task: LayersTask,
  { model, run }: { readonly model: LayeredModel; readonly run: LayerRun },
): Promise<void> => {
  const deltas = generate(model, run, task, () => job.isCancelled);
  let isEnded = false;
  try {
    let next = await deltas.next();
    for (; !next.done; next = await deltas.next()) {
      while (job.unread >= settings.unreadDeltasMax && !job.isCancelled) {
        await new Promise<void>((resolve) => (job.wake = resolve));
      }
      job.unread += 1;
      if (!job.isCancelled) send({ type: 'delta', id, ...next.value });
    }
    isEnded = true;
    send({ type: 'done', id, ...next.value, report: await run.end() });
  } finally {
    if (!isEnded) await run.end();
  }
};

const begin = async (id: number, task: LayersTask): Promise<void> => {
  const job: Job = { isCancelled: false, unread: 0, wake: () => undefined };
  jobs.set(id, job);
  try {
    await host.use(task, (model, run) => answer(id, job, task, { model, run }));
  } catch (error) {
    send({ type: 'failed', id, failure: failureOf(error) });
  } finally {
    jobs.delete(id);
  }
};

port.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'generate':
      void begin(message.id, message.task);
      return;
    case 'read':
    case 'cancel': {
      const job = jobs.get(message.id);
      if (job === undefined) return;
      if (message.type === 'read') job.unread -= 1;
      else job.isCancelled = true;
      job.wake();
      return;
    }
    case 'close':
      void host.close().then(() => port.close());
      return;
  }
});
