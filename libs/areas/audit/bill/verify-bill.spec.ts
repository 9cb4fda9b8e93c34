import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeVerifierKey, NoteSigner } from '#platform/audit/signed-note.js';
import { foldAccount } from './account-history.js';
import { ProofError } from '../proof/proof.error.js';
import {
  billOf,
  encodingsOf,
  HISTORY,
  logKey,
  publish,
  STATEMENT,
  type StatedEvent,
  STREAM,
  witnessKey,
  zipped,
} from './bill.fixture.js';
import { type BillParts } from './bill-writer.js';
import { decodeEvent } from '../proof/decoded-event.js';
import { parseFields } from '../proof/json-fields.js';
import { demandRecomputed } from './recomputed-statement.js';
import { describeBill, verifyBill } from './verify-bill.js';

const trust = { key: logKey, witnesses: [witnessKey] };

const bill = billOf(HISTORY);
const events = bill.events;

const verdict = async (parts: BillParts, given: object = trust): Promise<string> => {
  try {
    return verifyBill(await zipped(parts), given).status;
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return error.message;
  }
};

/** The history with the data of one event of the account changed, published as if it were so. */
const rewritten = (type: string, change: object): readonly StatedEvent[] => {
  const at = HISTORY.findIndex((one) => one.stream === STREAM && one.type === type);
  return HISTORY.map((one, index) =>
    index === at ? { ...one, data: { ...one.data, ...change } } : one,
  );
};

const flipped = (bytes: Buffer, bit: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return changed;
};

describe('a bill', () => {
  it('is proved, and the report says what is not', async () => {
    const report = verifyBill(await zipped(bill), trust);
    expect(report).toMatchObject({
      accountId: '7',
      month: '2026-02',
      status: 'closed',
      events: 12,
      origin: 'quipu.test/log',
      size: HISTORY.length,
      chargedMicroUsd: '33',
      closingMicroUsd: '980',
    });
    expect(report.proved).toContain('the witness witness.test/w1 has cosigned it');
    expect(report.proved).toContain('2 charged lines have the price of their model on the card');
    expect(report.proved).toContain('1 charged lines have a price of their card');
    expect(report.notProved).toEqual([
      'that the units were used: the evidence of each charge says who counted them',
      'what BudgetSet means, which moves no money',
    ]);
    expect(describeBill(report)).toContain('is proved');
  });

  it('says that the key and the view of others are not proved without them', async () => {
    const { notProved } = verifyBill(await zipped(bill));
    expect(notProved).toHaveLength(4);
    expect(notProved[0]).toMatch(/^that the key in the archive/);
    expect(notProved[1]).toMatch(/^that others are shown the same log/);
  });

  it('has the same bytes each time', async () => {
    expect(await zipped(bill)).toEqual(await zipped(bill));
  });

  it('of an open month ends with its last event', async () => {
    const open = HISTORY.filter(({ type }) => type !== 'StatementClosed');
    const statement = { ...STATEMENT, status: 'open', tax: null, closedAt: null };
    expect(await verdict(billOf(open, statement))).toBe('open');
    expect(await verdict(billOf(HISTORY, statement))).toBe(
      'the statement is open, and the month was closed',
    );
  });

  it.each<[string, Partial<BillParts>, string]>([
    [
      'an event in the middle',
      { events: events.toSpliced(4, 1) },
      'event 4 of account-7 is missing',
    ],
    ['the first event', { events: events.slice(1) }, 'event 0 of account-7 is missing'],
    ['the last event', { events: events.slice(0, -1) }, 'the last event is not the one that'],
    ['every event', { events: [] }, 'the archive has no event of the account'],
    ['the rate card', { rateCards: [] }, 'the rate card 1 is missing'],
  ])('without %s is rejected', async (_, change, reason) => {
    expect(await verdict({ ...bill, ...change })).toContain(reason);
  });

  it.each<[string, Partial<BillParts>, string]>([
    ['another account', { accountId: '8' }, 'is of another account'],
    ['another month', { month: '2026-01' }, 'the statement is of another month'],
    ['another stream', { stream: 'account-8' }, 'an event is of account-7, not of account-8'],
    ['no checkpoint', { checkpoint: 'nothing\n' }, 'the note has no signature'],
  ])('of %s is rejected', async (_, change, reason) => {
    expect(await verdict({ ...bill, ...change })).toContain(reason);
  });

  it('of another log, or without the witnesses that are asked for, is rejected', async () => {
    const other = encodeVerifierKey(new NoteSigner('quipu.test/log', Buffer.alloc(32, 9)).key);
    const differs = (stated: string, known: string): string =>
      `the key of the log in the archive is ${stated}, and the known one is ${known}`;
    expect(await verdict(bill, { key: other })).toBe(differs(logKey, other));
    // Signed by the known key: what names another one was not made for this log.
    expect(await verdict({ ...bill, key: other })).toBe(differs(other, logKey));
    expect(await verdict({ ...bill, key: other }, {})).toBe(
      'quipu.test/log has not signed the checkpoint',
    );
    const unwitnessed = { ...bill, checkpoint: publish(encodingsOf(HISTORY)).signed };
    expect(await verdict(unwitnessed)).toBe('0 of the witnesses have cosigned, and 1 must have');
    expect(await verdict(unwitnessed, { ...trust, quorum: 0 })).toBe('closed');
  });

  it.each<[string, string, object, string]>([
    ['a charge', 'HoldCaptured', { amountMicroUsd: '31' }, 'h1 is not the price of its lines'],
    [
      'the rest of a hold',
      'HoldCaptured',
      { releasedMicroUsd: '9' },
      'and its rest are not the hold',
    ],
    ['a hold', 'HoldPlaced', { amountMicroUsd: '217' }, 'h1 is not the price of its lines'],
    ['a release', 'HoldReleased', { amountMicroUsd: '1' }, 'what is freed is not the whole hold'],
    ['a balance', 'FundsDeposited', { availableMicroUsd: '999' }, 'states 999 available'],
    ['a deposit', 'FundsDeposited', { amountMicroUsd: '999' }, 'states 1000 available'],
    ['an unknown event', 'BudgetSet', { availableMicroUsd: '1' }, 'states 1 available'],
    ['a card', 'HoldCaptured', { rateCardVersion: 2 }, 'the line'],
    ['a model', 'HoldCaptured', { model: 'acme/n' }, 'the line'],
    ['the owner', 'BudgetSet', { accountId: '8' }, 'is of another account'],
    [
      'the closing',
      'StatementClosed',
      { closingMicroUsd: '981' },
      'closingMicroUsd is stated as 981',
    ],
    ['the tax', 'StatementClosed', { tax: null }, 'the tax of the statement is not'],
    [
      'the parties',
      'StatementClosed',
      { parties: { seller: null, sealedCustomer: null } },
      'the parties of the statement is not',
    ],
  ])('whose log states %s wrongly is rejected', async (_, type, change, reason) => {
    expect(await verdict(billOf(rewritten(type, change)))).toContain(reason);
  });

  it('of an account that was closed with money in it is rejected', async () => {
    const data = { accountId: '7', parentId: '9', closedAt: '2026-02-20T00:00:00.000Z' };
    const at = HISTORY.findIndex((one) => one.stream === STREAM && one.type === 'FundsDeposited');
    const closed = { stream: STREAM, type: 'AccountClosed', data };
    const bad = [...HISTORY.slice(0, at + 1), closed, ...HISTORY.slice(at + 1)];
    expect(await verdict(billOf(bad))).toContain('an account is closed with money in it');
  });

  it('whose prices differ from the rate card is rejected', async () => {
    const prices = { 'acme/m': { inputMicroUsdPerMtok: '1500000', outputMicroUsdPerMtok: '2' } };
    const cheaper = HISTORY.map((one) =>
      one.type === 'RateCardPublished' ? { ...one, data: { ...one.data, prices } } : one,
    );
    expect(await verdict(billOf(cheaper))).toBe(
      'rate card 1 has another price of output_tokens of acme/m',
    );
    const dearer = HISTORY.map((one) =>
      one.type === 'RateCardPublished'
        ? { ...one, data: { ...one.data, batchDiscountPercent: 60 } }
        : one,
    );
    expect(await verdict(billOf(dearer))).toContain('has no price of input_tokens as it was');
  });

  it('is rejected if any bit of its statement is another', () => {
    const exact = Buffer.from(JSON.stringify(STATEMENT));
    const history = foldAccount(events.map(({ encoding }) => decodeEvent(encoding)));
    const isProved = (text: string): boolean => {
      try {
        const statement = parseFields(text, 'the statement');
        demandRecomputed(statement, history);
        // `verifyBill` compares these two with the manifest.
        return statement['accountId'] === '7' && statement['month'] === '2026-02';
      } catch (error) {
        if (!(error instanceof ProofError)) throw error;
        return false;
      }
    };
    expect(isProved(exact.toString())).toBe(true);
    for (let bit = 0; bit < exact.length * 8; bit += 1) {
      const text = flipped(exact, bit).toString();
      if (isProved(text)) throw new Error(`bit ${bit} made no difference: ${text}`);
    }
  });

  it('is rejected if any bit of an event or of a proof is another', async () => {
    const bits = fc.tuple(fc.nat(events.length - 1), fc.boolean(), fc.nat(1_000_000));
    await fc.assert(
      fc.asyncProperty(bits, async ([at, inProof, bit]) => {
        const event = events[at];
        if (!event) throw new Error(`there is no event ${at}`);
        const proof = [...event.proof];
        const within = bit % (inProof ? 256 : event.encoding.length * 8);
        const which = bit % proof.length;
        if (inProof) proof[which] = flipped(proof[which] ?? Buffer.alloc(32), within);
        const encoding = inProof ? event.encoding : flipped(event.encoding, within);
        const changed = events.with(at, { ...event, encoding, proof });
        expect(await verdict({ ...bill, events: changed })).not.toBe('closed');
      }),
      { numRuns: 150 },
    );
  });

  it('is rejected if any bit of its archive is another, or states the same', async () => {
    const zip = await zipped(bill);
    const report = verifyBill(zip, trust);
    fc.assert(
      fc.property(fc.nat(zip.length * 8 - 1), (bit) => {
        try {
          // Times and attributes of files are no part of the bill, and neither is its README.
          expect(verifyBill(flipped(zip, bit), trust)).toEqual(report);
        } catch (error) {
          expect(error).toBeInstanceOf(ProofError);
        }
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no archive', Buffer.from('no archive at all, and long enough to have an end')],
  ])('that is %s is rejected', (_, zip) => {
    expect(() => verifyBill(zip)).toThrow('it is no zip archive');
  });
});
