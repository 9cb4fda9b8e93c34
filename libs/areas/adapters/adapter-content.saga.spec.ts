import { describe, it } from '@jest/globals';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { adapterContentSaga } from './adapter-content.saga.js';
import { ADAPTER, removed, uploaded } from './adapter.fixture.js';

const saga = sagaSpecOf(adapterContentSaga);
const data = { accountId: '7', adapterId: ADAPTER };
const settle = { kind: 'command', command: { type: 'SettleContent', data } } as const;

describe('the weights of an uploaded adapter', () => {
  it('are retained when it is uploaded and released when it is removed', () => {
    saga.given().when(uploaded).then(settle);
    saga.given(uploaded).when(removed).then(settle);
    saga.given(uploaded).when(removed).thenEnds();
  });
});
