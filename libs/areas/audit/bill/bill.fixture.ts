import { buffer } from 'node:stream/consumers';
import { checkpointText } from '#platform/audit/checkpoint.js';
import {
  foldNodes,
  inclusionRanges,
  type LeafRange,
  leafHashOf,
  nodesOf,
} from '#platform/audit/merkle.js';
import { ED25519_COSIGNATURE, encodeVerifierKey, NoteSigner } from '#platform/audit/signed-note.js';
import { EventHasher } from '#platform/event-store/event.chain.js';
import { type ExportedEvent } from './bill-archive.js';
import { type BillParts, writeBill } from './bill-writer.js';

export const logSigner = new NoteSigner('quipu.test/log', Buffer.alloc(32, 3));
export const witness = new NoteSigner('witness.test/w1', Buffer.alloc(32, 4), ED25519_COSIGNATURE);
export const logKey = encodeVerifierKey(logSigner.key);
export const witnessKey = encodeVerifierKey(witness.key);

/** An event as a test states it. */
export interface StatedEvent {
  readonly stream: string;
  readonly type: string;
  readonly data: object;
}

const METADATA = JSON.stringify({ version: 1, requestId: 'request', actor: 'user:1' });
const RECORDED_AT_MS = 1_795_314_896_789;

/** The encodings of a log, in order. */
export const encodingsOf = (stated: readonly StatedEvent[]): readonly Buffer[] => {
  const hasher = new EventHasher();
  const revisions = new Map<string, number>();
  return stated.map(({ stream, type, data }, index) => {
    const revision = revisions.get(stream) ?? 0;
    revisions.set(stream, revision + 1);
    return hasher.encode({
      revision,
      recordedAtMs: RECORDED_AT_MS + index,
      stream,
      type,
      id: `0198c0de-0000-7000-8000-${String(index).padStart(12, '0')}`,
      data: JSON.stringify(data),
      metadata: METADATA,
    });
  });
};

/** The checkpoint of a log, and the export of the events at these indexes. */
export const publish = (encodings: readonly Buffer[]) => {
  const leaves = encodings.map(leafHashOf);
  const hashOf = (range: LeafRange): Buffer =>
    foldNodes(
      nodesOf(range).map(({ level, index }) =>
        level === 0
          ? (leaves[index] ?? Buffer.alloc(0))
          : hashOfHalves(index * 2 ** level, 2 ** (level - 1)),
      ),
    );
  const hashOfHalves = (begin: number, half: number): Buffer =>
    foldNodes([
      hashOf({ begin, end: begin + half }),
      hashOf({ begin: begin + half, end: begin + 2 * half }),
    ]);
  const size = leaves.length;
  const root = hashOf({ begin: 0, end: size });
  const text = checkpointText({ origin: logSigner.key.name, size, root });
  const signed = `${text}\n${logSigner.sign(text)}`;
  const exported = (leaf: number): ExportedEvent => ({
    leaf,
    encoding: encodings[leaf] ?? Buffer.alloc(0),
    proof: inclusionRanges(leaf, size).map(hashOf),
  });
  const cosigned = `${signed}${witness.sign(text, 1_795_400_000)}`;
  return { signed, cosigned, exported, hashOf };
};

export const zipped = (parts: BillParts): Promise<Buffer> => buffer(writeBill(parts));

const ACCOUNT = '7';
export const STREAM = `account-${ACCOUNT}`;
const CARDS = 'rates-models';

const line = (meter: string, quantity: number, price: string, perUnits = 1_000_000) => ({
  meter,
  quantity,
  unitPriceMicroUsd: price,
  perUnits,
});

const of = (type: string, data: object): StatedEvent => ({
  stream: STREAM,
  type,
  data: { accountId: ACCOUNT, ...data },
});

const unrelated: StatedEvent = {
  stream: 'account-8',
  type: 'AccountOpened',
  data: { accountId: '8' },
};

const TAX = {
  country: 'DE',
  region: null,
  treatment: 'taxable',
  kind: 'VAT',
  ratePpm: 190_000,
  grossMicroUsd: '20',
  taxMicroUsd: '3',
  source: 'table of 2026',
};

/** Two charges, a deposit and a credit note of a closed month, after a deposit of another month. */
export const HISTORY: readonly StatedEvent[] = [
  {
    stream: CARDS,
    type: 'RateCardPublished',
    data: {
      version: 1,
      prices: { 'acme/m': { inputMicroUsdPerMtok: '1500000', outputMicroUsdPerMtok: '2000001' } },
      computePrices: {},
      meterPrices: {},
      batchDiscountPercent: 50,
    },
  },
  unrelated,
  of('AccountOpened', { currency: 'USD', openedAt: '2026-01-05T00:00:00.000Z' }),
  of('FundsDeposited', {
    depositId: 'd1',
    depositNumber: 1,
    amountMicroUsd: '1000',
    method: 'manual_credit',
    reason: 'x',
    depositedAt: '2026-01-31T23:59:59.999Z',
    availableMicroUsd: '1000',
  }),
  of('HoldPlaced', {
    holdId: 'h1',
    purpose: 'chat_completion',
    rateCardVersion: 1,
    lines: [line('input_tokens', 10, '1500000'), line('output_tokens', 100, '2000001')],
    amountMicroUsd: '216',
    availableMicroUsd: '784',
  }),
  unrelated,
  of('HoldCaptured', {
    holdId: 'h1',
    purpose: 'chat_completion',
    rateCardVersion: 1,
    model: 'acme/m',
    lines: [line('input_tokens', 10, '1500000'), line('output_tokens', 7, '2000001')],
    amountMicroUsd: '30',
    releasedMicroUsd: '186',
    availableMicroUsd: '970',
    capturedAt: '2026-02-01T00:00:00.000Z',
  }),
  of('HoldPlaced', {
    holdId: 'h2',
    purpose: 'batch_completion',
    rateCardVersion: 1,
    lines: [line('input_tokens', 3, '75000000', 100_000_000)],
    amountMicroUsd: '3',
    availableMicroUsd: '967',
  }),
  of('HoldRenewed', {
    holdId: 'h2',
    lines: [line('input_tokens', 1, '75000000', 100_000_000)],
    amountMicroUsd: '0',
    availableMicroUsd: '967',
  }),
  of('HoldCaptured', {
    holdId: 'h2',
    purpose: 'batch_completion',
    rateCardVersion: 1,
    jobId: '0198c0de-0000-7000-8000-00000000000b',
    lines: [line('input_tokens', 3, '75000000', 100_000_000)],
    amountMicroUsd: '3',
    releasedMicroUsd: '0',
    availableMicroUsd: '967',
    capturedAt: '2026-02-02T00:00:00.000Z',
  }),
  of('HoldPlaced', {
    holdId: 'h3',
    purpose: 'chat_completion',
    rateCardVersion: 1,
    lines: [line('input_tokens', 1, '1500000')],
    amountMicroUsd: '2',
    availableMicroUsd: '965',
  }),
  of('HoldReleased', { holdId: 'h3', amountMicroUsd: '2', availableMicroUsd: '967' }),
  of('BudgetSet', { limit: 'any' }),
  of('ChargeAdjusted', {
    adjustmentId: 'a1',
    adjustmentNumber: 1,
    kind: 'credit_note',
    amountMicroUsd: '13',
    refersTo: { month: '2026-02', holdId: 'h1' },
    reason: 'slow',
    adjustedAt: '2026-02-03T00:00:00.000Z',
    availableMicroUsd: '980',
  }),
  of('StatementClosed', {
    month: '2026-02',
    openingMicroUsd: '1000',
    depositedMicroUsd: '0',
    chargedMicroUsd: '33',
    adjustedMicroUsd: '13',
    closingMicroUsd: '980',
    tax: TAX,
    closedAt: '2026-03-02T00:00:00.000Z',
    availableMicroUsd: '980',
  }),
  unrelated,
];

const statementLine = (of: object, quantity: string, amount: string, price: object) => ({
  day: '2026-02-01',
  model: 'acme/m',
  job: null,
  purpose: 'chat_completion',
  rateCardVersion: 1,
  perUnits: 1_000_000,
  charges: 1,
  ...price,
  ...of,
  quantity,
  amountMicroUsd: amount,
});

const BATCH = {
  day: '2026-02-02',
  model: null,
  job: '0198c0de-0000-7000-8000-00000000000b',
  purpose: 'batch_completion',
};
const ROUNDING = { meter: 'rounding', rateCardVersion: null, perUnits: 1 };

/** The statement of that history, by hand: charges of 30 and 3, a credit note of 13. */
export const STATEMENT = {
  accountId: ACCOUNT,
  month: '2026-02',
  currency: 'USD',
  status: 'closed',
  openingMicroUsd: '1000',
  closingMicroUsd: '980',
  lines: [
    statementLine({ meter: 'input_tokens' }, '10', '15', { unitPriceMicroUsd: '1500000' }),
    statementLine({ meter: 'output_tokens' }, '7', '14', { unitPriceMicroUsd: '2000001' }),
    statementLine(ROUNDING, '1', '1', { unitPriceMicroUsd: '1' }),
    statementLine({ ...BATCH, meter: 'input_tokens', perUnits: 100_000_000 }, '3', '2', {
      unitPriceMicroUsd: '75000000',
    }),
    statementLine({ ...BATCH, ...ROUNDING }, '1', '1', { unitPriceMicroUsd: '1' }),
  ],
  deposits: [],
  adjustments: [
    {
      adjustmentId: 'a1',
      number: 1,
      kind: 'credit_note',
      amountMicroUsd: '13',
      refersTo: { month: '2026-02', holdId: 'h1' },
      reason: 'slow',
      adjustedAt: '2026-02-03T00:00:00.000Z',
    },
  ],
  tax: TAX,
  totals: {
    depositedMicroUsd: '0',
    chargedMicroUsd: '33',
    adjustedMicroUsd: '13',
    charges: 2,
  },
  closedAt: '2026-03-02T00:00:00.000Z',
};

/** The parts of a bill of a history; its last event of the account is the last of the bill. */
export const billOf = (
  history: readonly StatedEvent[],
  statement: object = STATEMENT,
): BillParts & { readonly events: readonly ExportedEvent[] } => {
  const { exported, cosigned } = publish(encodingsOf(history));
  const at = (stream: string): readonly ExportedEvent[] =>
    history.flatMap((one, index) => (one.stream === stream ? [exported(index)] : []));
  return {
    accountId: ACCOUNT,
    month: '2026-02',
    stream: STREAM,
    statement,
    events: at(STREAM),
    rateCards: at(CARDS),
    checkpoint: cosigned,
    key: logKey,
  };
};
