import { describe, it } from '@jest/globals';
import { TaxStatusSet } from '#events/tax/tax-status.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type TaxStatusCommand, taxStatusDecider } from './tax-status.decider.js';

const statuses = deciderSpecOf(taxStatusDecider);
const SET_AT = '2026-11-21T05:00:00.000Z';
const GERMANY = { accountId: '7', country: 'DE', region: null, setAt: SET_AT };
const FRANCE = { ...GERMANY, country: 'FR' };
const PLAIN = { taxExempt: false, business: false, treatyClaimed: false };
const VERIFIED = { taxExempt: false, business: true, treatyClaimed: true };

const declare = (data: typeof GERMANY): TaxStatusCommand => ({ type: 'DeclareCountry', data });
const set = (data: TaxStatusSet['data']): TaxStatusCommand => ({ type: 'SetTaxStatus', data });
const been = (data: TaxStatusSet['data']) => TaxStatusSet.of(data);

describe('declaring a country', () => {
  it('sets it, with nothing verified', () => {
    statuses
      .given()
      .when(declare(GERMANY))
      .then(been({ ...GERMANY, ...PLAIN }));
  });

  it('changes nothing where the country is the same', () => {
    statuses
      .given(been({ ...GERMANY, ...VERIFIED }))
      .when(declare({ ...GERMANY, setAt: '2026-11-22T05:00:00.000Z' }))
      .thenNothing();
  });

  it('ends what was verified for another country', () => {
    statuses
      .given(been({ ...GERMANY, ...VERIFIED }))
      .when(declare(FRANCE))
      .then(been({ ...FRANCE, ...PLAIN }));
  });
});

describe('setting a tax status', () => {
  it('sets what was verified', () => {
    statuses
      .given(been({ ...GERMANY, ...PLAIN }))
      .when(set({ ...GERMANY, ...VERIFIED }))
      .then(been({ ...GERMANY, ...VERIFIED }));
  });

  it('changes nothing where all is the same', () => {
    statuses
      .given(been({ ...GERMANY, ...VERIFIED }))
      .when(set({ ...GERMANY, ...VERIFIED, setAt: '2026-11-22T05:00:00.000Z' }))
      .thenNothing();
  });
});
