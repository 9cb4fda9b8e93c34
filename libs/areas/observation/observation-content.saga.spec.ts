import { describe, it } from '@jest/globals';
import { ObservationDeleted } from '#events/observation/observation.events.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { observationContentSaga } from './observation-content.saga.js';

const ingestId = '5a0c2f1e-7d34-5b8e-9c61-0f2d4b6a8c1e';
const deleted = ObservationDeleted.of({
  ...{ ingestId, accountId: '7', acquiredAt: '2026-11-20T10:30:00.000Z', contentBytes: 1 },
  ...{ collection: 'multispectral', deletedAt: '2026-11-26T19:00:00.000Z' },
});

describe('the content of an image', () => {
  it('is settled, and no longer followed after its deletion', () => {
    const when = sagaSpecOf(observationContentSaga).given().when(deleted);
    when.then({ kind: 'command', command: { type: 'SettleObservation', data: { ingestId } } });
    when.thenEnds();
  });
});
