import { demand } from '../proof/proof.error.js';
import { type DecodedEvent } from '../proof/decoded-event.js';
import { amountOf, type Fields, fieldsOf, textOf, textOrNull } from '../proof/json-fields.js';
import { type PricedLine, pricedLinesOf, priceOf } from './priced-lines.js';

/** A charge, a deposit or an adjustment: what a statement is made of. */
export interface Movement {
  readonly kind: 'deposit' | 'charge' | 'adjustment';
  readonly data: Fields;
  readonly amount: bigint;
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  /** The statement that it is on. */
  readonly month: string;
  /** Of a charge. */
  readonly lines: readonly PricedLine[];
}

export interface AccountHistory {
  readonly movements: readonly Movement[];
  /** The closed statements, by month. */
  readonly closed: ReadonlyMap<string, Fields>;
  /** Types of events that this verifier does not know, and that move no money. */
  readonly ignored: ReadonlySet<string>;
}

interface OpenHold {
  readonly amount: bigint;
  /** With the lines of its renewals. */
  readonly lines: readonly PricedLine[];
}

interface Ledger {
  available: bigint;
  readonly holds: Map<string, OpenHold>;
  /** By id, less the part that went back. */
  readonly deposits: Map<string, bigint>;
  readonly adjustmentIds: Set<string>;
  readonly movements: Movement[];
  readonly closed: Map<string, Fields>;
  readonly ignored: Set<string>;
}

type Law = (ledger: Ledger, data: Fields) => void;

const once = (ids: Set<string>, id: string, law: string): void => {
  demand(!ids.has(id), law);
  ids.add(id);
};

const movementOf = (
  kind: Movement['kind'],
  data: Fields,
  instantField: string,
  lines: readonly PricedLine[] = [],
): Movement => {
  const day = textOf(data, instantField).slice(0, 'YYYY-MM-DD'.length);
  const month = textOrNull(data, 'bookedIn') ?? day.slice(0, 'YYYY-MM'.length);
  const amount = amountOf(data, 'amountMicroUsd');
  return { kind, data, amount, day, month, lines };
};

/** A statement lists a reversal among the deposits, below zero. */
const asNegativeDeposit = ({ reversedAt, reversalNumber, kind, ...data }: Fields): Fields => ({
  ...data,
  depositedAt: reversedAt,
  depositNumber: reversalNumber,
  method: kind,
  amountMicroUsd: (-amountOf(data, 'amountMicroUsd')).toString(),
});

/** Adds the lines of an event to a hold, which is the price of all its lines. */
const hold = (ledger: Ledger, data: Fields, before: OpenHold): void => {
  const id = textOf(data, 'holdId');
  const added = amountOf(data, 'amountMicroUsd');
  const lines = [...before.lines, ...pricedLinesOf(data)];
  const amount = before.amount + added;
  demand(priceOf(lines) === amount, `the hold ${id} is not the price of its lines`);
  ledger.holds.set(id, { amount, lines });
  ledger.available -= added;
};

const endHold = (ledger: Ledger, data: Fields): bigint => {
  const id = textOf(data, 'holdId');
  const held = ledger.holds.get(id);
  demand(held !== undefined, `the hold ${id} ends without being open`);
  ledger.holds.delete(id);
  return held.amount;
};

const release: Law = (ledger, data) => {
  const held = endHold(ledger, data);
  demand(held === amountOf(data, 'amountMicroUsd'), 'what is freed is not the whole hold');
  ledger.available += held;
};

/** A statement lists an allotment among the deposits; one that was sent is below zero. */
const allot: Law = (ledger, { at, otherId, allotmentNumber, ...data }) => {
  const listed = { depositedAt: at, depositId: otherId, depositNumber: allotmentNumber };
  const movement = movementOf(
    'deposit',
    { ...data, ...listed, method: 'allotment' },
    'depositedAt',
  );
  ledger.movements.push(movement);
  ledger.available += movement.amount;
};

/** The effect of each event on the account, by its type. */
const LAWS: Readonly<Record<string, Law>> = {
  AccountOpened: () => undefined,
  FundsDeposited: (ledger, data) => {
    const id = textOf(data, 'depositId');
    demand(!ledger.deposits.has(id), 'a deposit is credited twice');
    const movement = movementOf('deposit', data, 'depositedAt');
    ledger.deposits.set(id, movement.amount);
    ledger.movements.push(movement);
    ledger.available += movement.amount;
  },
  DepositReversed: (ledger, data) => {
    const id = textOf(data, 'depositId');
    const amount = amountOf(data, 'amountMicroUsd');
    const left = (ledger.deposits.get(id) ?? 0n) - amount;
    demand(amount > 0n && left >= 0n, `more of the deposit ${id} goes back than was credited`);
    ledger.deposits.set(id, left);
    ledger.movements.push(movementOf('deposit', asNegativeDeposit(data), 'depositedAt'));
    ledger.available -= amount;
  },
  HoldPlaced: (ledger, data) => {
    const id = textOf(data, 'holdId');
    demand(!ledger.holds.has(id), `the hold ${id} is placed twice`);
    hold(ledger, data, { amount: 0n, lines: [] });
  },
  HoldRenewed: (ledger, data) => {
    const id = textOf(data, 'holdId');
    const held = ledger.holds.get(id);
    demand(held !== undefined, `the hold ${id} is renewed without being open`);
    hold(ledger, data, held);
  },
  HoldCaptured: (ledger, data) => {
    const held = endHold(ledger, data);
    const id = textOf(data, 'holdId');
    const lines = pricedLinesOf(data);
    const movement = movementOf('charge', data, 'capturedAt', lines);
    demand(priceOf(lines) === movement.amount, `the charge ${id} is not the price of its lines`);
    const released = amountOf(data, 'releasedMicroUsd');
    demand(movement.amount + released === held, `the charge ${id} and its rest are not the hold`);
    demand(movement.amount >= 0n && released >= 0n, `the charge ${id} is above its hold`);
    ledger.movements.push(movement);
    ledger.available += released;
  },
  HoldReleased: release,
  HoldExpired: release,
  ChargeAdjusted: (ledger, data) => {
    once(ledger.adjustmentIds, textOf(data, 'adjustmentId'), 'an adjustment is made twice');
    const movement = movementOf('adjustment', data, 'adjustedAt');
    ledger.movements.push(movement);
    ledger.available += movement.amount;
  },
  SubAccountAdded: () => undefined,
  SubAccountClosed: () => undefined,
  AccountClosed: (ledger) => {
    demand(ledger.available === 0n, 'an account is closed with money in it');
    demand(ledger.holds.size === 0, 'an account is closed with an open hold');
  },
  AllotmentSent: (ledger, data) => {
    const { sentAt: at, toId: otherId } = data;
    const amountMicroUsd = (-amountOf(data, 'amountMicroUsd')).toString();
    allot(ledger, { ...data, at, otherId, amountMicroUsd });
  },
  AllotmentReceived: (ledger, data) => {
    allot(ledger, { ...data, at: data['receivedAt'], otherId: data['fromId'] });
  },
  StatementClosed: (ledger, data) => {
    const month = textOf(data, 'month');
    demand(!ledger.closed.has(month), `the month ${month} is closed twice`);
    ledger.closed.set(month, data);
  },
};

/**
 * Folds all events of an account by the laws of the ledger, apart from the code that wrote them.
 * After each event, deposits - charges - holds + adjustments is what the event states as available.
 * @throws ProofError naming the law that an event breaks
 */
export const foldAccount = (events: readonly DecodedEvent[]): AccountHistory => {
  const ledger: Ledger = {
    available: 0n,
    holds: new Map(),
    deposits: new Map(),
    adjustmentIds: new Set(),
    movements: [],
    closed: new Map(),
    ignored: new Set(),
  };
  for (const { type, data, revision } of events) {
    const law = LAWS[type];
    if (law) law(ledger, data);
    else ledger.ignored.add(type);
    const states = fieldsOf(data, 'the data')['availableMicroUsd'] !== undefined;
    const available = states ? amountOf(data, 'availableMicroUsd') : ledger.available;
    demand(
      available === ledger.available,
      `event ${revision} (${type}) states ${available} available, and it is ${ledger.available}`,
    );
  }
  const { movements, closed, ignored } = ledger;
  return { movements, closed, ignored };
};
