import { describe, expect, it } from '@jest/globals';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type AdapterCommand, adapterDecider, findIn } from './adapter.decider.js';
import { ADAPTER, removed, REMOVED_AT, uploaded, uploadedAs } from './adapter.fixture.js';

const account = deciderSpecOf(adapterDecider);
const OTHER = 'adapter-ffffffffffffffffffffffffffffffff';

const upload = (adapter = uploaded, adaptersMax = 2): AdapterCommand => ({
  type: 'UploadAdapter',
  data: { adapter: adapter.data, adaptersMax },
});

const remove = (asked: string): AdapterCommand => ({
  type: 'RemoveAdapter',
  data: { asked, removedAt: REMOVED_AT },
});

describe('the adapters of an account', () => {
  it('are uploaded once', () => {
    account.given().when(upload()).then(uploaded);
    account.given(uploaded).when(upload()).thenNothing();
    account.given(uploaded, removed).when(upload()).thenNothing();
  });

  it('have slugs of their own, which a removal frees', () => {
    const same = uploadedAs(OTHER, 'house-style');
    account.given(uploaded).when(upload(same)).thenThrows('adapter_slug_taken');
    account.given(uploaded, removed).when(upload(same)).then(same);
  });

  it('are limited in number', () => {
    const second = uploadedAs(OTHER, 'second');
    account.given(uploaded).when(upload(second, 1)).thenThrows('adapter_limit_reached');
    account.given(uploaded).when(upload(second, 2)).then(second);
    account.given(uploaded, removed).when(upload(second, 1)).then(second);
  });

  it('says that a slug is taken before it says that there are too many', () => {
    const same = uploadedAs(OTHER, 'house-style');
    account.given(uploaded).when(upload(same, 1)).thenThrows('adapter_slug_taken');
  });

  it('are removed by id or by slug, once', () => {
    account.given(uploaded).when(remove(ADAPTER)).then(removed);
    account.given(uploaded).when(remove('house-style')).then(removed);
    account.given(uploaded, removed).when(remove(ADAPTER)).thenThrows('adapter_not_found');
    account.given().when(remove('house-style')).thenThrows('adapter_not_found');
  });

  it('are found while they are there', () => {
    const states = [[uploaded], [uploaded, removed]].map((events) =>
      events.reduce(adapterDecider.evolve, adapterDecider.initialState),
    );
    const found = states.map((state) => findIn(state, 'house-style')?.adapterId);
    expect(found).toEqual([ADAPTER, undefined]);
    expect(states[1]?.removed.get(ADAPTER)).toEqual(uploaded.data);
  });
});
