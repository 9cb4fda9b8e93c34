import { describe, expect, it } from '@jest/globals';
import { atomicity, closing, expectedRevisions, repeatedAppends } from './appending.contract.js';
import { instants, limits } from './limits.contract.js';
import { followsTheModel } from './event-store.model.contract.js';
import { counted, onFreshLog, type OpenLog } from './event-store.fixture.js';
import { anotherHandle, readingAll, readingAStream } from './reading.contract.js';
import {
  catchingUp,
  endingASubscription,
  followingLive,
  positionsOnDemand,
} from './subscribing.contract.js';

/** Everything the port promises; an adapter supplies nothing but its factory. */
export const eventStoreContract = (adapter: string, open: OpenLog): void =>
  describe(`event store contract: ${adapter}`, () => {
    expectedRevisions(open);
    repeatedAppends(open);
    atomicity(open);
    instants(open);
    limits(open);
    readingAStream(open);
    readingAll(open);
    anotherHandle(open);
    catchingUp(open);
    followingLive(open);
    positionsOnDemand(open);
    endingASubscription(open);
    closing(open);
    followsTheModel(open);

    it(
      'is writable when it has just been opened and after it has written',
      onFreshLog(open, async (store) => {
        expect(await store.health()).toEqual({ writable: true, reason: null });
        await store.append('job-1', counted(1), 'any');
        expect(await store.health()).toEqual({ writable: true, reason: null });
      }),
    );
  });
