import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type CryptoInvoiceCreated } from '#events/payments/crypto-invoice.events.js';
import { type CryptoNetwork } from '#events/payments/crypto.vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { toDecimal } from '#platform/kernel/money.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext, contextOf } from '#platform/runtime/commands/command-context.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { type SeenPayment, type WatchTarget } from '../chains/chain-watcher.port.js';
import { ChainWatchers } from '../chains/chain-watchers.js';
import { Prices } from '../prices/prices.js';
import { cryptoInvoiceDecider } from './crypto-invoice.decider.js';
import { type CryptoInvoiceState, paymentKey } from './crypto-invoice.state.js';
import { PaymentRunners } from './payment-runners.js';

type Terms = CryptoInvoiceCreated['data'];

const ACTOR = 'system:crypto-chains';

const targetOf = ({ invoiceId, currency, target, createdAt }: Terms): WatchTarget => ({
  invoiceId,
  currency,
  address: target.kind === 'address' ? target.address : target.recipient,
  reference: target.kind === 'reference' ? target.reference : null,
  sinceMs: Date.parse(createdAt),
});

/**
 * Compares invoices with their chain. It may run in several processes at once: the decider of an
 * invoice compares the chain with its events, and a payment belongs to one invoice.
 */
@Injectable()
export class InvoiceObserver {
  constructor(
    private readonly runners: PaymentRunners,
    private readonly watchers: ChainWatchers,
    private readonly prices: Prices,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * @param invoices all of this network
   * @throws Error when the chain cannot be read
   */
  async observe(
    network: CryptoNetwork,
    invoices: readonly Terms[],
    signal: AbortSignal,
  ): Promise<void> {
    const watcher = await this.watchers.of(network);
    const seen = await watcher.payments(invoices.map(targetOf), signal);
    for (const terms of invoices) {
      const payments = seen.get(terms.invoiceId);
      if (payments) await this.#compare(terms, payments);
    }
  }

  async #compare(terms: Terms, seen: readonly SeenPayment[]): Promise<void> {
    const { invoiceId } = terms;
    const context = contextOf(randomUUID(), ACTOR);
    const known = await this.runners.knownInvoice(invoiceId);
    const payments = await this.#ours(terms, known, seen, context);
    const observedAt = instant(this.clock);
    const latePriceMicroUsd = await this.#latePrice(terms, known, payments, observedAt);
    const data = { invoiceId, payments, observedAt, latePriceMicroUsd };
    const command = { type: 'ObservePayments', data } as const;
    // An outdated state only delays the command until the next look at the chain.
    if (cryptoInvoiceDecider.decide(command, known).length === 0) return;
    const { target } = terms;
    if (target.kind === 'address' && payments.some(({ block }) => block !== null)) {
      // Before the event of the payment: if it fails, the next look at the chain repeats both.
      const { fingerprint, index } = target;
      await this.runners.useIndex({ fingerprint, index, usedAt: observedAt }, context);
    }
    await this.runners.onInvoice(command, context);
  }

  /** Without payments that belong to another invoice. */
  async #ours(
    { invoiceId, network }: Terms,
    known: CryptoInvoiceState,
    seen: readonly SeenPayment[],
    context: CommandContext,
  ): Promise<readonly SeenPayment[]> {
    const claimedAt = instant(this.clock);
    const owned = await Promise.all(
      seen.map(async (payment) => {
        if (known.payments.has(paymentKey(payment))) return [payment];
        const { txid, output } = payment;
        const claim = { network, txid, output, invoiceId, claimedAt };
        const owner = await this.runners.ownerOf(claim, context);
        if (owner === invoiceId) return [payment];
        const facts = { network, txid, output, invoiceId, owner };
        this.logger.warn(facts, 'a payment names several invoices and belongs to another one');
        return [];
      }),
    );
    return owned.flat();
  }

  /** Null where no late payment is ready to be confirmed, or there is no price now. */
  async #latePrice(
    { currency, expiresAt, confirmations }: Terms,
    known: CryptoInvoiceState,
    payments: readonly SeenPayment[],
    observedAt: string,
  ): Promise<string | null> {
    const isReady = (payment: SeenPayment): boolean =>
      payment.confirmations >= confirmations &&
      known.payments.get(paymentKey(payment))?.place !== 'confirmed';
    if (observedAt <= expiresAt || !payments.some(isReady)) return null;
    try {
      return toDecimal((await this.prices.priceOf(currency)).priceMicroUsd);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return null;
    }
  }
}
