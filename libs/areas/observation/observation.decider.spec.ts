import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ObservationDeleted, ObservationIngested } from '#events/observation/observation.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { observationDecider } from './observation.decider.js';
import { HOT_BYTES_MAX, storageTierOf } from './storage-tier.js';
import { ingestIdOf } from './stored-observations.js';

const observations = deciderSpecOf(observationDecider);
const golden = new URL(
  '../../../test/golden/observation/ObservationIngested.v1.json',
  import.meta.url,
);
const ingested = ObservationIngested.of(
  ObservationIngested.schema.parse(JSON.parse(readFileSync(golden, 'utf8'))),
);
const LATER = '2026-11-26T19:00:00.000Z';
const { ingestId, accountId, acquiredAt, collection, contentBytes } = ingested.data;
const deleted = ObservationDeleted.of({
  ...{ ingestId, accountId, acquiredAt, collection, contentBytes },
  deletedAt: LATER,
});
const ingest = { type: 'IngestObservation', data: ingested.data } as const;
const deleteBy = (by: string) =>
  ({ type: 'DeleteObservation', data: { accountId: by, deletedAt: LATER } }) as const;

describe('an image', () => {
  it('is ingested once, and again after its deletion', () => {
    observations.given().when(ingest).then(ingested);
    observations.given(ingested).when(ingest).thenNothing();
    observations.given(ingested, deleted).when(ingest).then(ingested);
  });

  it('is deleted by its account, once', () => {
    observations.given(ingested).when(deleteBy('7')).then(deleted);
    observations.given(ingested).when(deleteBy('8')).thenThrows('observation_not_found');
    observations.given().when(deleteBy('7')).thenThrows('observation_not_found');
    observations.given(ingested, deleted).when(deleteBy('7')).thenThrows('observation_not_found');
  });

  it('has the same id for the same content of the same account alone', () => {
    expect(ingestIdOf('7', 'a')).toBe(ingestIdOf('7', 'a'));
    expect(ingestIdOf('7', 'a')).not.toBe(ingestIdOf('8', 'a'));
    expect(ingestIdOf('7', 'a')).not.toBe(ingestIdOf('7', 'b'));
  });

  it.each([
    ['2026-11-26T19:00:00.000Z', 1, 'hot'],
    ['2026-11-26T19:00:00.000Z', HOT_BYTES_MAX + 1, 'warm'],
    ['2026-10-27T19:00:00.000Z', 1, 'warm'],
    ['2025-11-26T19:00:00.001Z', 1, 'warm'],
    ['2025-11-26T19:00:00.000Z', 1, 'cold'],
    ['2027-01-01T00:00:00.000Z', 1, 'hot'],
  ] as const)('acquired at %s with %d bytes is %s', (at, bytes, tier) => {
    expect(storageTierOf(at, LATER, bytes)).toBe(tier);
  });
});
