import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { priceOf as auditedPriceOf } from '#areas/audit/bill/priced-lines.js';
import { checkpointText } from '#platform/audit/checkpoint.js';
import { Frontier } from '#platform/audit/frontier.js';
import { leafHashOf } from '#platform/audit/merkle.js';
import { encodeVerifierKey, NoteSigner } from '#platform/audit/signed-note.js';
import { formatProof } from '#platform/audit/tlog-proof.js';
import { encodeEvent } from './encoded-event.fixture.js';
import { type AuditedRequest, priceOf, verifyCharge } from './charge.js';

const ORIGIN = 'quipu.example/log';
const ID = '5b0e9a52-8f0c-4a37-9d3c-2f6f6f0f3f61';
const signer = new NoteSigner(ORIGIN, Buffer.alloc(32, 7));
const KEY = encodeVerifierKey(signer.key);

const LINES = [
  { meter: 'input_tokens', quantity: 235, unitPriceMicroUsd: '150000', perUnits: 1_000_000 },
  { meter: 'output_tokens', quantity: 141, unitPriceMicroUsd: '600000', perUnits: 1_000_000 },
];
const PLACED = { type: 'HoldPlaced', data: { holdId: ID, amountMicroUsd: '2493' } };
const CAPTURED = {
  type: 'HoldCaptured',
  data: {
    holdId: ID,
    lines: LINES,
    amountMicroUsd: '120',
    releasedMicroUsd: '2373',
    availableMicroUsd: '9999880',
    rateCardVersion: 2,
  },
};
const RELEASED = {
  type: 'HoldReleased',
  data: { holdId: ID, amountMicroUsd: '2493', availableMicroUsd: '10000000' },
};

type Event = Pick<typeof PLACED, 'type'> & { readonly data: object };

/** In a log of its own for each event, so its proof has no hash. */
const auditedOf = (...events: readonly Event[]): AuditedRequest => ({
  request_id: ID,
  verifier_key: KEY,
  events: events.map((event) => {
    const encoding = encodeEvent(event);
    const frontier = new Frontier();
    frontier.push(leafHashOf(encoding));
    const text = checkpointText({ origin: ORIGIN, size: 1, root: frontier.root() });
    const proof = formatProof({
      index: 0,
      hashes: [],
      checkpoint: `${text}\n${signer.sign(text)}`,
    });
    return { encoding: encoding.toString('base64'), proof };
  }),
});

const changed = (data: object): Event => ({ ...CAPTURED, data: { ...CAPTURED.data, ...data } });

describe('a charge', () => {
  it('follows from signed events', async () => {
    expect(await verifyCharge(auditedOf(PLACED, CAPTURED), KEY)).toEqual({
      requestId: ID,
      status: 'charged',
      amountMicroUsd: 120n,
      lines: LINES.map(({ meter, quantity, unitPriceMicroUsd, perUnits }) => ({
        meter,
        quantity: BigInt(quantity),
        unitPriceMicroUsd: BigInt(unitPriceMicroUsd),
        perUnits: BigInt(perUnits),
      })),
      rateCardVersion: 2n,
      availableMicroUsd: 9_999_880n,
      treeSize: 1n,
    });
  });

  it('is nothing for a hold that was freed, or is open', async () => {
    const free = { status: 'free', amountMicroUsd: 0n, availableMicroUsd: 10_000_000n };
    expect(await verifyCharge(auditedOf(PLACED, RELEASED), KEY)).toMatchObject(free);
    const open = { status: 'open', amountMicroUsd: 0n, availableMicroUsd: null };
    expect(await verifyCharge(auditedOf(PLACED), KEY)).toMatchObject(open);
  });

  it.each([
    ['more than its lines', changed({ amountMicroUsd: '121', releasedMicroUsd: '2372' }), '120'],
    ['more than was held', changed({ releasedMicroUsd: '2374' }), '2493 were held, not 2494'],
    ['a line below zero', changed({ lines: [{ ...LINES[0], quantity: -1 }] }), 'below zero'],
    ['an amount with a fraction', changed({ amountMicroUsd: '120.5' }), 'no whole number'],
    ['the lines of another text', changed({ lines: 'none' }), 'lines is no list'],
  ])('is not proved with %s', async (_, event, reason) => {
    await expect(verifyCharge(auditedOf(PLACED, event), KEY)).rejects.toThrow(reason);
  });

  it('is not proved without a hold, or with two ends', async () => {
    await expect(verifyCharge(auditedOf(CAPTURED), KEY)).rejects.toThrow('no event holds money');
    const twice = verifyCharge(auditedOf(PLACED, CAPTURED, RELEASED), KEY);
    await expect(twice).rejects.toThrow('ended twice');
  });

  it('is not proved by events that the log does not have', async () => {
    const answer = auditedOf(PLACED, CAPTURED);
    const { events: forged } = auditedOf(changed({ amountMicroUsd: '1' }));
    const events = answer.events.map(({ proof }) => ({
      encoding: forged[0]?.encoding ?? '',
      proof,
    }));
    const request = { ...answer, events };
    await expect(verifyCharge(request, KEY)).rejects.toThrow('an event is not in the log');
  });

  it('is not proved by the log of another key', async () => {
    const other = encodeVerifierKey(new NoteSigner(ORIGIN, Buffer.alloc(32, 8)).key);
    const answer = auditedOf(PLACED, CAPTURED);
    await expect(verifyCharge(answer, other)).rejects.toThrow('the known one is another');
    const stated = { ...answer, verifier_key: other };
    await expect(verifyCharge(stated, other)).rejects.toThrow('has not signed');
  });
});

describe('the price of lines', () => {
  it('is the one that the verifier of bills computes, by other code', () => {
    const line = fc.record({
      meter: fc.constant('input_tokens'),
      quantity: fc.bigInt({ min: 0n, max: 10n ** 12n }),
      unitPriceMicroUsd: fc.bigInt({ min: 0n, max: 10n ** 12n }),
      perUnits: fc.constantFrom(1n, 60n, 1_000n, 1_000_000n),
    });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const audited = lines.map(({ unitPriceMicroUsd: unitPrice, ...rest }) => ({
          ...rest,
          unitPrice,
          model: null,
          tier: {},
        }));
        expect(priceOf(lines)).toBe(auditedPriceOf(audited));
      }),
    );
  });
});
