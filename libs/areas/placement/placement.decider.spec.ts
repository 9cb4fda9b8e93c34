import { describe, expect, it } from '@jest/globals';
import {
  PlacementExpired,
  PlacementReleased,
  StagesPlaced,
} from '#events/placement/placement.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type DomainError } from '#platform/kernel/domain-error.js';
import { type PlacementRig } from './placement-rigs.port.js';
import { type PlacementCommand, placementDecider, PLACEMENTS_MAX } from './placement.decider.js';
import { placementSnapshots } from './placement.snapshot.js';

const spec = deciderSpecOf(placementDecider);

const PLACED_AT = '2026-11-22T10:00:00.000Z';
const LATER = '2026-11-22T10:30:00.000Z';
const EXPIRES_AT = '2026-11-22T11:00:00.000Z';
const ORDER_ID = '0b8f7c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c';
const OTHER_ID = '1c9a8d63-2e4f-5a7b-9cad-1e2f3a4b5c6d';

const host = (name: string, hostMemoryBytes: number | null): PlacementRig => ({
  name,
  hostMemoryBytes,
  deviceMemoryBytes: null,
});

const terms = {
  orderId: ORDER_ID,
  accountId: '7',
  model: null,
  ppDegree: 2,
  tpDegree: 1,
  memoryBytes: 21,
  placedAt: PLACED_AT,
  expiresAt: EXPIRES_AT,
};

const place = (
  rigs: readonly PlacementRig[],
  given: Partial<typeof terms> = {},
  links: readonly { from: string; to: string; kilobitsPerSecond: number | null }[] = [],
): PlacementCommand => ({ type: 'PlaceStages', data: { ...terms, ...given, rigs, links } });

const shard = (stage: number, rig: string, device: number | null = null) => ({
  stage,
  rank: 0,
  rig,
  device,
  memoryBytes: 11,
});

/** Two stages of 11 bytes on the rig `a`. */
const placed = (given: Partial<StagesPlaced['data']> = {}): StagesPlaced =>
  StagesPlaced.of({
    ...terms,
    placementId: 1,
    shards: [shard(0, 'a'), shard(1, 'a')],
    links: [],
    ...given,
  });

const released = PlacementReleased.of({ placementId: 1, accountId: '7', releasedAt: LATER });
const expired = PlacementExpired.of({ placementId: 1, accountId: '7', expiredAt: EXPIRES_AT });

const metadataOf = (command: PlacementCommand, ...facts: readonly StagesPlaced[]) => {
  const state = facts.reduce(placementDecider.evolve, placementDecider.initialState);
  try {
    return placementDecider.decide(command, state);
  } catch (error) {
    return (error as DomainError).metadata;
  }
};

describe('an order', () => {
  it('reserves an equal part of the memory for each shard, rounded up', () => {
    spec
      .given()
      .when(place([host('a', 22)]))
      .then(placed());
    spec
      .given()
      .when(place([host('a', 21)]))
      .thenThrows('placement_infeasible');
  });

  it('crosses to the rig with the faster link, in any direction', () => {
    const rigs = [host('a', 11), host('b', 11), host('c', 11)];
    const links = [
      { from: 'b', to: 'a', kilobitsPerSecond: 3 },
      { from: 'c', to: 'a', kilobitsPerSecond: 8 },
    ];
    const crossing = [{ from: 'a', to: 'c', kilobitsPerSecond: 8 }];
    const shards = [shard(0, 'a'), shard(1, 'c')];
    spec
      .given()
      .when(place(rigs, {}, links))
      .then(placed({ shards, links: crossing }));
  });

  it('finds no room in memory that another placement has reserved', () => {
    const next = place([host('a', 43)], { orderId: OTHER_ID });
    spec.given(placed()).when(next).thenThrows('placement_infeasible');
    const room = place([host('a', 44)], { orderId: OTHER_ID });
    spec
      .given(placed())
      .when(room)
      .then(placed({ placementId: 2, orderId: OTHER_ID }));
  });

  it('finds the room of a placement that was released or has ended by the clock', () => {
    const rigs = [host('a', 22)];
    const next = { orderId: OTHER_ID, placedAt: LATER };
    const again = placed({ ...next, placementId: 2 });
    spec.given(placed(), released).when(place(rigs, next)).then(again);
    spec.given(placed()).when(place(rigs, next)).thenThrows('placement_infeasible');
    const late = { ...next, placedAt: EXPIRES_AT, expiresAt: '2026-11-22T12:00:00.000Z' };
    spec
      .given(placed())
      .when(place(rigs, late))
      .then(placed({ ...late, placementId: 2 }));
    spec
      .given(placed(), expired)
      .when(place(rigs, late))
      .then(placed({ ...late, placementId: 2 }));
  });

  it('reserves the memory of one device, and leaves the others', () => {
    const rig = { name: 'a', hostMemoryBytes: 1_000, deviceMemoryBytes: [11, 11, 11] };
    const shards = [shard(0, 'a', 0), shard(1, 'a', 1)];
    spec
      .given()
      .when(place([rig]))
      .then(placed({ shards }));
    const one = { orderId: OTHER_ID, ppDegree: 1, memoryBytes: 11 };
    spec
      .given(placed({ shards }))
      .when(place([rig], one))
      .then(placed({ ...one, placementId: 2, shards: [shard(0, 'a', 2)] }));
    const two = { orderId: OTHER_ID };
    spec
      .given(placed({ shards }))
      .when(place([rig], two))
      .thenThrows('placement_infeasible');
  });

  it('without room reports what is missing: bytes, and rigs as large as the largest one', () => {
    const rigs = [host('a', 22), host('b', null)];
    const wanted = place(rigs, { ppDegree: 7, memoryBytes: 77, orderId: OTHER_ID });
    expect(metadataOf(wanted, placed())).toEqual({
      stages_required: 7,
      stages_placeable: 0,
      stage_memory_bytes: 11,
      shard_memory_bytes: 11,
      missing_memory_bytes: 77,
      missing_rigs: 4,
      rigs_registered: 2,
      rigs_usable: 0,
    });
    expect(metadataOf(place([]))).toMatchObject({ rigs_registered: 0, missing_rigs: null });
  });

  it('is nothing new when the same request comes again', () => {
    spec
      .given(placed())
      .when(place([host('a', 99)]))
      .thenNothing();
  });

  it('is rejected above the placements of an account', () => {
    const facts = Array.from({ length: PLACEMENTS_MAX }, (_, index) =>
      placed({
        placementId: index + 1,
        orderId: `0b8f7c52-1d3e-5f6a-8b9c-${100_000_000_000 + index}`,
      }),
    );
    const next = { orderId: OTHER_ID };
    const rigs = [host('a', 9_999)];
    spec
      .given(...facts)
      .when(place(rigs, next))
      .thenThrows('too_many_placements');
    const other = { ...next, accountId: '8' };
    const placementId = PLACEMENTS_MAX + 1;
    spec
      .given(...facts)
      .when(place(rigs, other))
      .then(placed({ ...other, placementId }));
    const over = { ...next, placedAt: EXPIRES_AT, expiresAt: '2026-11-22T12:00:00.000Z' };
    spec
      .given(...facts)
      .when(place(rigs, over))
      .then(placed({ ...over, placementId }));
  });
});

describe('an end', () => {
  const release = (accountId: string | null): PlacementCommand => ({
    type: 'ReleasePlacement',
    data: { placementId: 1, accountId, releasedAt: LATER },
  });
  const expire = (expiredAt: string): PlacementCommand => ({
    type: 'ExpirePlacement',
    data: { placementId: 1, expiredAt },
  });

  it('is a release by the account or the operator', () => {
    spec.given(placed()).when(release('7')).then(released);
    spec.given(placed()).when(release(null)).then(released);
    spec.given(placed()).when(release('8')).thenThrows('placement_not_found');
    spec.given(placed(), released).when(release('7')).thenThrows('placement_not_found');
    spec.given().when(release(null)).thenThrows('placement_not_found');
  });

  it('is an expiry at its time', () => {
    spec.given(placed()).when(expire(EXPIRES_AT)).then(expired);
    spec.given(placed()).when(expire(LATER)).thenNothing();
    spec.given(placed(), released).when(expire(EXPIRES_AT)).thenNothing();
  });

  it('gives its number to no other placement', () => {
    const next = { orderId: OTHER_ID };
    spec
      .given(placed(), released)
      .when(place([host('a', 22)], next))
      .then(placed({ ...next, placementId: 2 }));
  });
});

describe('a snapshot', () => {
  it('is the state again', () => {
    const state = [placed(), placed({ placementId: 4 })].reduce(
      placementDecider.evolve,
      placementDecider.initialState,
    );
    const json = JSON.parse(JSON.stringify(placementSnapshots.toJson(state))) as object;
    const read = placementSnapshots.fromJson(json);
    expect(read.lastId).toBe(4);
    expect([...read.open]).toEqual([...state.open]);
  });
});
