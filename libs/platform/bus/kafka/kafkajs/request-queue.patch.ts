import { createRequire } from 'node:module';

/** The part of kafkajs' queue of requests to one broker that is patched. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

const PATCHED = Symbol('quipu.patched');

type Prototype = RequestQueue & { [PATCHED]?: true };

/**
 * kafkajs 2.2.4 checks its queue again after `throttledUntil - Date.now()` ms. Usually nothing is
 * throttled, so this number is far below zero. Node 24 warns (`TimeoutNegativeWarning`) and waits 1
 * ms; the check then schedules the next one for ever, even with nothing pending. An empty queue
 * needs no check: a request that has to wait schedules one when it is pushed. So this patch skips
 * the schedule when nothing is pending, and otherwise runs the code of kafkajs.
 *
 * Once per process, before the first client is made.
 */
export const patchRequestQueue = (): void => {
  const require = createRequire(import.meta.url);
  const queue = require('kafkajs/src/network/requestQueue/index.js') as { prototype: Prototype };
  const { prototype } = queue;
  if (prototype[PATCHED]) return;
  const schedule = Reflect.get(prototype, 'scheduleCheckPendingRequests') as unknown;
  if (typeof schedule !== 'function') {
    throw new Error(
      'this version of kafkajs has another request queue: check whether it still needs the patch',
    );
  }
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) Reflect.apply(schedule, this, []);
  };
  prototype[PATCHED] = true;
};
