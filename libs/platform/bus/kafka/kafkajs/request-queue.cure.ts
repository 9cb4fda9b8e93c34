import { createRequire } from 'node:module';

/** The part of kafkajs' queue of requests to one broker that is cured. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

const CURED = Symbol('quipu.cured');

type Prototype = RequestQueue & { [CURED]?: true };

/**
 * kafkajs 2.2.4 checks its queue again after `throttledUntil - Date.now()` ms. Nothing is throttled
 * as a rule, so this is far below zero, which Node 24 tells (`TimeoutNegativeWarning`) and takes for
 * 1 ms; the check then schedules the next one, for ever, though nothing is pending. An empty queue
 * needs no check: a request that has to wait schedules one when it is pushed. So the schedule is
 * left out where nothing is pending, and kafkajs' own code runs otherwise.
 *
 * Once per process, before the first client is made.
 */
export const cureRequestQueue = (): void => {
  const require = createRequire(import.meta.url);
  const queue = require('kafkajs/src/network/requestQueue/index.js') as { prototype: Prototype };
  const { prototype } = queue;
  if (prototype[CURED]) return;
  const schedule = Reflect.get(prototype, 'scheduleCheckPendingRequests') as unknown;
  if (typeof schedule !== 'function') {
    throw new Error('this version of kafkajs has another queue: look whether it is still ill');
  }
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) Reflect.apply(schedule, this, []);
  };
  prototype[CURED] = true;
};
