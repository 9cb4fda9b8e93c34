import { type VerifiedCheckpoint } from '#platform/audit/checkpoint.js';
import { isIncluded, leafHashOf } from '#platform/audit/merkle.js';
import { fromDecimal, inUsd } from '#platform/kernel/money.js';
import { type AccountHistory, foldAccount } from './account-history.js';
import { type ArchivedEvent, type BillArchive, readBill } from './bill-archive.js';
import { demand } from '../proof/proof.error.js';
import { type Trust, trusted, trustedCheckpoint, untrusted } from '../proof/trusted-checkpoint.js';
import { textOf } from '../proof/json-fields.js';
import { comparePrices, type PriceReport } from './rate-cards.js';
import { demandRecomputed } from './recomputed-statement.js';

export interface BillReport {
  readonly accountId: string;
  readonly month: string;
  readonly status: string;
  readonly events: number;
  readonly origin: string;
  readonly size: number;
  /** In hexadecimal. */
  readonly root: string;
  readonly chargedMicroUsd: string;
  readonly closingMicroUsd: string;
  readonly proved: readonly string[];
  readonly notProved: readonly string[];
}

/**
 * Recomputes a statement from the events of its archive, and proves that they are all in the log.
 * @throws ProofError with the reason
 */
export const verifyBill = (zip: Buffer, trust: Trust = {}): BillReport => {
  const bill = readBill(zip);
  const checkpoint = trustedCheckpoint(bill, trust);
  demandIncluded([...bill.events, ...bill.rateCards], checkpoint);
  demandWholeStream(bill);
  const history = foldAccount(bill.events.map(({ event }) => event));
  demand(
    textOf(bill.statement, 'accountId') === bill.accountId,
    'the statement is of another account',
  );
  demand(textOf(bill.statement, 'month') === bill.month, 'the statement is of another month');
  demandEnd(bill, history);
  demandRecomputed(bill.statement, history);
  const prices = comparePrices(history, bill.month, bill.rateCards);
  return reportOf(bill, checkpoint, history, prices, trust);
};

const demandIncluded = (
  events: readonly ArchivedEvent[],
  { size, root }: VerifiedCheckpoint,
): void => {
  for (const { leaf, encoding, proof, event } of events) {
    const claim = { index: leaf, size, root, proof, leafHash: leafHashOf(encoding) };
    demand(
      isIncluded(claim),
      `event ${event.revision} of ${event.stream} is not in the log of the checkpoint`,
    );
  }
};

/** Revisions count from 0 without a gap, so an event that is left out shows. */
const demandWholeStream = ({ events, rateCards, stream, accountId }: BillArchive): void => {
  demand(events.length > 0, 'the archive has no event of the account');
  let leaf = -1;
  for (const [index, one] of events.entries()) {
    const { event } = one;
    demand(event.stream === stream, `an event is of ${event.stream}, not of ${stream}`);
    demand(event.revision === BigInt(index), `event ${index} of ${stream} is missing`);
    demand(one.leaf > leaf, 'the events are not in the order of the log');
    ({ leaf } = one);
    demand(textOf(event.data, 'accountId') === accountId, `event ${index} is of another account`);
  }
  demand(
    events[0]?.event.type === 'AccountOpened',
    'the account was not opened by its first event',
  );
  const [card] = rateCards;
  const isOneStream = rateCards.every(({ event }) => event.stream === card?.event.stream);
  demand(isOneStream, 'the rate cards are of different streams');
};

/** A closed statement ends with the event that closed it. */
const demandEnd = ({ statement, events, month }: BillArchive, { closed }: AccountHistory): void => {
  const last = events.at(-1)?.event;
  if (textOf(statement, 'status') === 'closed') {
    const isEnd = last?.type === 'StatementClosed' && last.data['month'] === month;
    demand(isEnd && closed.has(month), 'the last event is not the one that closes the month');
  }
};

const reportOf = (
  { accountId, month, statement, events, rateCards }: BillArchive,
  checkpoint: VerifiedCheckpoint,
  history: AccountHistory,
  prices: PriceReport,
  trust: Trust,
): BillReport => {
  const status = textOf(statement, 'status');
  const { origin, size, root } = checkpoint;
  const { ofModel, ofCard, ofMeter, unpriced } = prices;
  return {
    accountId,
    month,
    status,
    events: events.length,
    origin,
    size,
    root: root.toString('hex'),
    chargedMicroUsd: textOf(
      statement['totals'] as Readonly<Record<string, unknown>>,
      'chargedMicroUsd',
    ),
    closingMicroUsd: textOf(statement, 'closingMicroUsd'),
    proved: [
      ...trusted(checkpoint),
      `${events.length} events of the account and ${rateCards.length} rate cards are in that log`,
      `they are all events of the account, from its first to revision ${events.length - 1}`,
      'each charge is the price of its lines, ends one hold, and is never above it',
      'after each event, deposits - charges - holds + adjustments is what the event states',
      'every line, deposit, adjustment, total and balance of the statement, to the micro-dollar',
      ...(status === 'closed' ? ['the month is closed: its last event says the same totals'] : []),
      ...(ofModel > 0
        ? [`${ofModel} charged lines have the price of their model on the card`]
        : []),
      ...(ofMeter > 0 ? [`${ofMeter} charged lines have the price of their meter`] : []),
      ...(ofCard > 0 ? [`${ofCard} charged lines have a price of their card`] : []),
    ],
    notProved: [
      ...untrusted(checkpoint, trust),
      ...(status === 'closed' ? [] : ['that no later event is on the statement: it is not closed']),
      'that the units were used: the evidence of each charge says who counted them',
      ...[...unpriced].map((meter) => `the price of ${meter}: no rate card has it`),
      ...[...history.ignored].map((type) => `what ${type} means, which moves no money`),
    ],
  };
};

/** For people, without the final line break. */
export const describeBill = (report: BillReport): string =>
  [
    `The statement ${report.month} of account ${report.accountId} (${report.status}) is proved.`,
    `  charged     ${inUsd(fromDecimal(report.chargedMicroUsd))}`,
    `  closing     ${inUsd(fromDecimal(report.closingMicroUsd))}`,
    `  checkpoint  ${report.size} events of ${report.origin}, root ${report.root}`,
    'Proved:',
    ...report.proved.map((one) => `  + ${one}`),
    'Not proved:',
    ...report.notProved.map((one) => `  - ${one}`),
  ].join('\n');
