import { describe, it } from '@jest/globals';
import {
  PlacementExpired,
  PlacementReleased,
  StagesPlaced,
} from '#events/placement/placement.events.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { placementExpirySaga } from './placement-expiry.saga.js';

const saga = sagaSpecOf(placementExpirySaga);
const EXPIRES_AT = '2026-11-22T11:00:00.000Z';

const placed = StagesPlaced.of({
  placementId: 3,
  accountId: '7',
  orderId: '0b8f7c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c',
  model: null,
  ppDegree: 1,
  tpDegree: 1,
  memoryBytes: 1,
  shards: [{ stage: 0, rank: 0, rig: 'a', device: null, memoryBytes: 1 }],
  links: [],
  placedAt: '2026-11-22T10:00:00.000Z',
  expiresAt: EXPIRES_AT,
});

describe('the expiry of placements', () => {
  it('has a timer at the end of the reservation', () => {
    saga
      .given()
      .when(placed)
      .then({
        kind: 'schedule',
        timer: 'expiry',
        dueAt: EXPIRES_AT,
        command: { type: 'ExpirePlacement', data: { placementId: 3 } },
      });
    saga.given().when(placed).thenHolds({ open: true });
  });

  it.each([
    ['released', PlacementReleased.of({ placementId: 3, accountId: '7', releasedAt: EXPIRES_AT })],
    ['expired', PlacementExpired.of({ placementId: 3, accountId: '7', expiredAt: EXPIRES_AT })],
  ])('cancels the timer of a placement that was %s', (_, end) => {
    saga.given(placed).when(end).then({ kind: 'cancel', timer: 'expiry' });
    saga.given(placed).when(end).thenEnds();
  });
});
