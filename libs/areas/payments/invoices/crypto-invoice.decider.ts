import {
  CryptoInvoiceClosed,
  CryptoInvoiceCreated,
  type CryptoInvoiceEvent,
  CryptoInvoiceExpired,
  CryptoPaymentConfirmed,
  CryptoPaymentDetected,
  CryptoPaymentDropped,
  CryptoPaymentIncluded,
  CryptoPaymentReverted,
} from '#events/payments/crypto-invoice.events.js';
import { type CryptoInvoiceStatus } from '#events/payments/crypto.vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { fromDecimal, inUsd, toDecimal } from '#platform/kernel/money.js';
import { currencies, worthOf } from '../assets/currency.js';
import { type SeenPayment } from '../chains/chain-watcher.port.js';
import { reject } from '../payments.errors.js';
import {
  confirmedUnits,
  creditedOf,
  type CryptoInvoiceState,
  evolve,
  hasOpenPayments,
  initialState,
  type KnownPayment,
  paymentKey,
  statusOf,
} from './crypto-invoice.state.js';

/** The limits that hold when an invoice is created. */
export interface InvoiceLimits {
  readonly amountMin: bigint;
  readonly amountMax: bigint;
}

/** The present state of the chain, as far as it concerns one invoice. */
export interface Observation {
  readonly invoiceId: string;
  readonly payments: readonly SeenPayment[];
  readonly observedAt: string;
  /** The present price of a coin, for payments that came late; null where it is not known. */
  readonly latePriceMicroUsd: string | null;
}

export type CryptoInvoiceCommand =
  | {
      readonly type: 'CreateCryptoInvoice';
      readonly data: CryptoInvoiceCreated['data'];
      readonly limits: InvoiceLimits;
    }
  | { readonly type: 'ObservePayments'; readonly data: Observation };

type Terms = CryptoInvoiceCreated['data'];

const create = (
  data: Terms,
  limits: InvoiceLimits,
  { terms }: CryptoInvoiceState,
): readonly CryptoInvoiceEvent[] => {
  if (terms) {
    const isSame = terms.accountId === data.accountId && terms.currency === data.currency;
    if (isSame && terms.amountMicroUsd === data.amountMicroUsd) return [];
    return reject('crypto_invoice_conflict', `invoice ${data.invoiceId} has other terms`);
  }
  demandAmount(fromDecimal(data.amountMicroUsd), limits);
  return [CryptoInvoiceCreated.of(data)];
};

/** @throws DomainError for an amount outside the limits */
export const demandAmount = (amount: bigint, { amountMin, amountMax }: InvoiceLimits): void => {
  const range = `a crypto invoice is for ${inUsd(amountMin)} to ${inUsd(amountMax)}`;
  if (amount < amountMin) reject('crypto_amount_too_small', range);
  if (amount > amountMax) reject('crypto_amount_too_large', range);
};

/** The state of the invoice after an event. */
type Outcome = { readonly status: CryptoInvoiceStatus } & Pick<
  CryptoPaymentConfirmed['data'],
  'confirmedUnits' | 'creditedMicroUsd'
>;

const outcomeOf = (state: CryptoInvoiceState): Outcome => ({
  status: statusOf(state),
  confirmedUnits: confirmedUnits(state).toString(),
  creditedMicroUsd: toDecimal(creditedOf(state)),
});

/** Collects events one by one, each decided on the state after the one before it. */
class Story {
  readonly events: CryptoInvoiceEvent[] = [];

  constructor(public state: CryptoInvoiceState) {}

  /** The outcome comes from the event itself: the state does not depend on it. */
  add(make: (outcome: Outcome) => CryptoInvoiceEvent): void {
    const next = evolve(this.state, make(outcomeOf(this.state)));
    this.events.push(make(outcomeOf(next)));
    this.state = next;
  }
}

/** The total worth of the confirmed payments that came in time. */
const worthInTime = (terms: Terms, units: bigint): bigint => {
  const [due, tolerance] = [BigInt(terms.dueUnits), BigInt(terms.toleranceUnits)];
  const amount = fromDecimal(terms.amountMicroUsd);
  const isComplete = units >= due - tolerance && units <= due + tolerance;
  return isComplete ? amount : (units * amount) / due;
};

const creditedInTime = ({ payments }: CryptoInvoiceState) =>
  payments.filter(({ credit, isLate }) => credit !== null && !isLate);

/**
 * The credit for a payment. Payments in time share the price of the invoice, so that together they
 * come to the amount of the invoice exactly. A late one is credited at its present worth.
 */
const creditOf = (
  state: CryptoInvoiceState,
  terms: Terms,
  payment: KnownPayment,
  priceMicroUsd: string,
): bigint => {
  if (payment.credit !== null) return 0n;
  if (payment.isLate) {
    return worthOf(currencies[terms.currency], payment.units, fromDecimal(priceMicroUsd));
  }
  const before = creditedInTime(state).reduce((sum, { units }) => sum + units, 0n);
  return worthInTime(terms, before + payment.units) - worthInTime(terms, before);
};

/** The fields of every event about an invoice. */
const ofInvoice = ({ invoiceId, accountId, createdAt }: Terms, { status }: Outcome) => ({
  invoiceId,
  accountId,
  createdAt,
  status,
});

type SeenOrKnown = Pick<SeenPayment, 'txid' | 'output'>;

/** The fields of every event about a payment. */
const about = (terms: Terms, { txid, output }: SeenOrKnown, outcome: Outcome) => ({
  ...ofInvoice(terms, outcome),
  network: terms.network,
  txid,
  output,
});

const blockOf = ({ block }: SeenPayment) => block && { hash: block.hash, height: block.height };

const detect = (story: Story, terms: Terms, seen: SeenPayment, observedAt: string): void => {
  const known = story.state.payments.get(paymentKey(seen));
  const madeAt = seen.block?.at ?? observedAt;
  const firstAt = madeAt < observedAt ? madeAt : observedAt;
  const paidAt = known && known.paidAt < firstAt ? known.paidAt : firstAt;
  story.add((outcome) =>
    CryptoPaymentDetected.of({
      ...about(terms, seen, outcome),
      units: seen.units.toString(),
      block: blockOf(seen),
      paidAt,
      isLate: paidAt > terms.expiresAt,
      detectedAt: observedAt,
    }),
  );
};

const drop = (
  story: Story,
  terms: Terms,
  payment: SeenOrKnown,
  isWaiting: boolean,
  droppedAt: string,
): void =>
  story.add((outcome) =>
    CryptoPaymentDropped.of({ ...about(terms, payment, outcome), isWaiting, droppedAt }),
  );

const isOpen = ({ place }: KnownPayment): boolean => place === 'waiting' || place === 'included';

/** Brings what is known of an unconfirmed payment to what the chain shows. */
const follow = (story: Story, terms: Terms, seen: SeenPayment, observedAt: string): void => {
  const known = story.state.payments.get(paymentKey(seen));
  const block = blockOf(seen);
  if (!known || known.place === 'gone') detect(story, terms, seen, observedAt);
  else if (!isOpen(known)) return;
  else if (known.units !== seen.units) {
    drop(story, terms, seen, false, observedAt);
    detect(story, terms, seen, observedAt);
  } else if (block && block.hash !== known.block?.hash) {
    story.add((outcome) =>
      CryptoPaymentIncluded.of({ ...about(terms, seen, outcome), block, includedAt: observedAt }),
    );
  } else if (!block && known.block) drop(story, terms, seen, true, observedAt);
};

const confirm = (story: Story, terms: Terms, seen: SeenPayment, observed: Observation): void => {
  const known = story.state.payments.get(paymentKey(seen));
  const block = blockOf(seen);
  if (!known || !block || known.place === 'confirmed') return;
  if (seen.confirmations < terms.confirmations) return;
  const priceMicroUsd = known.isLate ? observed.latePriceMicroUsd : terms.priceMicroUsd;
  // Without a price, a late payment waits for the next observation.
  if (priceMicroUsd === null) return;
  const credit = creditOf(story.state, terms, known, priceMicroUsd);
  story.add((outcome) =>
    CryptoPaymentConfirmed.of({
      ...about(terms, seen, outcome),
      currency: terms.currency,
      units: known.units.toString(),
      confirmations: seen.confirmations,
      block,
      priceMicroUsd,
      creditMicroUsd: toDecimal(credit),
      confirmedUnits: outcome.confirmedUnits,
      creditedMicroUsd: outcome.creditedMicroUsd,
      confirmedAt: observed.observedAt,
    }),
  );
};

/** The known payments that are no longer in the chain. */
const miss = (story: Story, terms: Terms, seen: ReadonlySet<string>, observedAt: string): void => {
  for (const [key, payment] of story.state.payments) {
    if (seen.has(key)) continue;
    if (isOpen(payment)) drop(story, terms, payment, false, observedAt);
    if (payment.place !== 'confirmed') continue;
    const creditedMicroUsd = toDecimal(payment.credit ?? 0n);
    story.add((outcome) =>
      CryptoPaymentReverted.of({
        ...about(terms, payment, outcome),
        creditedMicroUsd,
        revertedAt: observedAt,
      }),
    );
  }
};

const end = (story: Story, terms: Terms, observedAt: string): void => {
  const status = statusOf(story.state);
  const isPaid = status === 'completed' || status === 'overpaid';
  if (observedAt >= terms.expiresAt && !story.state.expired && !isPaid) {
    story.add((outcome) => {
      const facts = { ...ofInvoice(terms, outcome), confirmedUnits: outcome.confirmedUnits };
      return CryptoInvoiceExpired.of({ ...facts, expiredAt: observedAt });
    });
  }
  if (observedAt < terms.watchUntil || hasOpenPayments(story.state)) return;
  story.add((outcome) =>
    CryptoInvoiceClosed.of({ ...ofInvoice(terms, outcome), closedAt: observedAt }),
  );
};

const observe = (
  observed: Observation,
  state: CryptoInvoiceState,
): readonly CryptoInvoiceEvent[] => {
  const { terms, closed } = state;
  const { invoiceId, observedAt } = observed;
  if (!terms) return reject('crypto_invoice_not_found', `there is no crypto invoice ${invoiceId}`);
  if (closed) return [];
  const story = new Story(state);
  const seen = new Map(observed.payments.map((payment) => [paymentKey(payment), payment]));
  miss(story, terms, new Set(seen.keys()), observedAt);
  for (const payment of seen.values()) {
    follow(story, terms, payment, observedAt);
    confirm(story, terms, payment, observed);
  }
  end(story, terms, observedAt);
  return story.events;
};

/** One invoice: what is due, what the chain showed, and what was credited for it. */
export const cryptoInvoiceDecider: Decider<
  CryptoInvoiceCommand,
  CryptoInvoiceState,
  CryptoInvoiceEvent
> = {
  initialState,
  decide: (command, state) => {
    switch (command.type) {
      case 'CreateCryptoInvoice':
        return create(command.data, command.limits, state);
      case 'ObservePayments':
        return observe(command.data, state);
    }
  },
  evolve,
};
