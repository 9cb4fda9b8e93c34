import { describe, expect, it } from '@jest/globals';
import { captured } from '#areas/billing/account.fixture.js';
import { chargesByMinute, chargesKey } from './charges-by-minute.projection.js';

const charge = captured([900, 100], 195, 555, 805);

describe('charges by minute', () => {
  it('keeps a document for each minute in which an account was charged', () => {
    expect(chargesByMinute.keys(charge)).toEqual(['7/2026-11-21T05:00']);
  });

  it('adds the charges of a minute', () => {
    const [key = ''] = chargesByMinute.keys(charge);
    const once = chargesByMinute.project(charge, chargesByMinute.initial(key), key);
    expect(once).toEqual({ charged: '195', charges: 1 });
    expect(once && chargesByMinute.project(charge, once, key)).toEqual({
      charged: '390',
      charges: 2,
    });
  });

  it('orders the keys of an account by time', () => {
    const at = (time: string): string => chargesKey('7', `2026-11-${time}.000Z`);
    const keys = [at('21T09:59:59'), at('21T10:00:00'), at('21T23:59:00'), at('22T00:00:00')];
    expect([...keys].sort()).toEqual(keys);
  });
});
