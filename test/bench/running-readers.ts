import { setTimeout as sleep } from 'node:timers/promises';
import { type LeaderService } from '#platform/runtime/areas/leader-service.js';
import { type Runtime } from '#platform/runtime/runtime.js';

const CATCH_UP_POLL_MS = 50;

/** Leader services need a whole application; they do nothing here. */
const idleService: LeaderService = {
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  status: () => ({ name: 'idle', phase: 'live', position: 0n, failure: null, retryAt: null }),
};

/** Runs the projections, sagas and relays of a standalone until they are live. */
export const runReaders = async (runtime: Runtime): Promise<void> => {
  await runtime.startProjections();
  await runtime.startReactions({ execute: () => Promise.resolve() }, () => idleService);
  for (;;) {
    const runners = [...(await runtime.projectionHost.runners()), ...runtime.reactions()];
    const failed = runners.find(({ failure }) => failure !== null);
    if (failed) throw new Error(`${failed.name} has stopped: ${failed.failure ?? ''}`);
    if (runners.every(({ phase }) => phase === 'live')) return;
    await sleep(CATCH_UP_POLL_MS);
  }
};
