import { describe, expect, it } from '@jest/globals';
import {
  adjusted,
  captured,
  deposited,
  ENDED_AT,
  linesOf,
  OPENED_AT,
  statementClosed,
} from '#areas/billing/account.fixture.js';
import { type HoldCaptured } from '#events/billing/account.events.js';
import { type Movement } from '#events/billing/statement-month.js';
import { type StatementDocument, statements } from './statements.projection.js';

const documentsOf = (...events: readonly (Movement | ReturnType<typeof statementClosed>)[]) => {
  const documents = new Map<string, StatementDocument>();
  for (const event of events) {
    for (const key of statements.keys(event)) {
      const before = documents.get(key) ?? statements.initial(key);
      const after = statements.project(event, before, key);
      if (after) documents.set(key, after);
      else documents.delete(key);
    }
  }
  return Object.fromEntries(documents);
};

const charge = (data: Partial<HoldCaptured['data']> = {}): HoldCaptured => {
  const event = captured([900, 100], 195, 555, 805);
  return { ...event, data: { ...event.data, ...data } };
};

const MONTH = { kind: 'month', accountId: '7', month: '2026-11', closed: null };
const OPEN = { kind: 'open', accountId: '7', month: '2026-11' };
const GROUP = 'entry/7/2026-11/2026-11-21/charges/translation';

describe('statements', () => {
  it('adds the charges of a day, purpose, model and job', () => {
    const documents = documentsOf(charge({ model: 'acme/llama' }), charge({ model: 'acme/llama' }));
    const price = { unitPriceMicroUsd: '150000', perUnits: 1_000_000, rateCardVersion: 3 };
    expect(documents).toEqual({
      [`${GROUP}/-/acme/llama`]: {
        kind: 'charges',
        day: '2026-11-21',
        purpose: 'translation',
        model: 'acme/llama',
        job: null,
        charges: 2,
        amount: '390',
        lines: [
          { ...price, meter: 'input_tokens', quantity: '1800', charges: 2 },
          {
            ...price,
            unitPriceMicroUsd: '600000',
            meter: 'output_tokens',
            quantity: '200',
            charges: 2,
          },
        ],
      },
      'month/7/2026-11': { ...MONTH, deposited: '0', charged: '390', adjusted: '0', charges: 2 },
      'open/2026-11/7': OPEN,
    });
  });

  it('keeps models, jobs and days apart', () => {
    const jobId = '5b0e9a52-8f0c-4a37-9d3c-2f6f6f0f3f61';
    const documents = documentsOf(
      charge(),
      charge({ jobId }),
      charge({ model: 'm' }),
      charge({ capturedAt: '2026-11-22T00:00:00.000Z' }),
    );
    expect(Object.keys(documents).filter((key) => key.startsWith('entry/'))).toEqual([
      `${GROUP}/-/-`,
      `${GROUP}/${jobId}/-`,
      `${GROUP}/-/m`,
      'entry/7/2026-11/2026-11-22/charges/translation/-/-',
    ]);
  });

  it('adds the steps of a charge at one price, and keeps prices apart', () => {
    const [input] = linesOf([10, 0]);
    if (!input) throw new Error('there is no line');
    const dear = { ...input, unitPriceMicroUsd: '300000' };
    const lines = [{ step: 'draft', ...input }, { step: 'check', ...input }, dear];
    const documents = documentsOf(charge({ lines }), charge({ lines, rateCardVersion: 4 }));
    expect(documents[`${GROUP}/-/-`]).toMatchObject({
      lines: [
        { rateCardVersion: 3, unitPriceMicroUsd: '150000', quantity: '20', charges: 1 },
        { rateCardVersion: 3, unitPriceMicroUsd: '300000', quantity: '10', charges: 1 },
        { rateCardVersion: 4, unitPriceMicroUsd: '150000', quantity: '20', charges: 1 },
        { rateCardVersion: 4, unitPriceMicroUsd: '300000', quantity: '10', charges: 1 },
      ],
    });
  });

  it('has each deposit and adjustment in the month in which it was made', () => {
    const [deposit, adjustment] = [deposited(1_000, 1_000), adjusted(5, 810)];
    expect(documentsOf(deposit, adjustment)).toMatchObject({
      [`entry/7/2026-11/${OPENED_AT.slice(0, 10)}/deposit/0000000000000001`]: {
        kind: 'deposit',
        deposit: deposit.data,
      },
      'entry/7/2026-12/2026-12-02/adjustment/0000000000000001': {
        kind: 'adjustment',
        adjustment: adjustment.data,
      },
      'month/7/2026-11': { deposited: '1000' },
      'month/7/2026-12': { adjusted: '5' },
    });
  });

  it('books a late charge in the month that its event names, on its own day', () => {
    const documents = documentsOf(charge({ bookedIn: '2026-12' }));
    const day = ENDED_AT.slice(0, 10);
    expect(Object.keys(documents)).toEqual([
      `entry/7/2026-12/${day}/charges/translation/-/-`,
      'month/7/2026-12',
      'open/2026-12/7',
    ]);
  });

  it('has a closed month no longer among the open ones', () => {
    const closed = statementClosed([0, 1_000, 195, 0, 805], 805);
    const documents = documentsOf(deposited(1_000, 1_000), charge(), closed);
    expect(documents).not.toHaveProperty(['open/2026-11/7']);
    expect(documents['month/7/2026-11']).toMatchObject({ charged: '195', closed: closed.data });
  });
});
