import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  type CryptoInvoiceCreated,
  type PaymentTarget,
} from '#events/payments/crypto-invoice.events.js';
import { type CryptoCurrency } from '#events/payments/crypto.vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { toDecimal } from '#platform/kernel/money.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import { openCryptoInvoices } from '#projections/payments/open-crypto-invoices.projection.js';
import { currencies, type Currency, unitsFor } from '../assets/currency.js';
import { solanaAddressOf } from '../assets/solana-address.js';
import { ChainWatchers } from '../chains/chain-watchers.js';
import { reject } from '../payments.errors.js';
import {
  NETWORK_VARIABLES,
  PAYMENTS_SETTINGS,
  type PaymentsSettings,
} from '../payments.settings.js';
import { Prices } from '../prices/prices.js';
import { demandAmount } from './crypto-invoice.decider.js';
import { PaymentRunners } from './payment-runners.js';

export interface CryptoInvoiceOrder {
  readonly accountId: string;
  readonly amountMicroUsd: bigint;
  readonly currency: CryptoCurrency;
  readonly returnUrl: string | null;
}

type Terms = CryptoInvoiceCreated['data'];

/** Creates an invoice. The id derives from the request, so a repeated request gets the same one. */
export class CreateCryptoInvoiceCommand extends Command<Terms> {
  constructor(
    readonly order: CryptoInvoiceOrder,
    readonly context: CommandContext,
  ) {
    super();
  }
}

const REFERENCE_BYTES = 32;
/** The largest page of a list; no account may have more open invoices. */
const OPEN_LISTED_MAX = 10_000;
const BASIS_POINTS = 10_000n;

@CommandHandler(CreateCryptoInvoiceCommand)
export class CreateCryptoInvoiceHandler implements ICommandHandler<CreateCryptoInvoiceCommand> {
  constructor(
    private readonly runners: PaymentRunners,
    private readonly prices: Prices,
    private readonly watchers: ChainWatchers,
    @Inject(PAYMENTS_SETTINGS) private readonly settings: PaymentsSettings,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError with a code of `payments.errors.ts` */
  async execute({ order, context }: CreateCryptoInvoiceCommand): Promise<Terms> {
    const currency = currencies[order.currency];
    const invoiceId = derivedId('crypto-invoice', context.requestId);
    const { terms: existing } = await this.runners.currentInvoice(invoiceId);
    if (existing) return existing;
    this.#demandSettings(currency);
    const { amountMin, amountMax } = this.settings.invoices;
    const limits = { amountMin, amountMax };
    demandAmount(order.amountMicroUsd, limits);
    await this.#demandRoom(order.accountId);
    const { priceMicroUsd, quotes } = await this.prices.priceOf(currency.code);
    const createdAtMs = this.clock.now();
    const due = unitsFor(currency, order.amountMicroUsd, priceMicroUsd);
    const { validMs, watchedMs, toleranceBasisPoints } = this.settings.invoices;
    const terms: Omit<Terms, 'target'> = {
      invoiceId,
      accountId: order.accountId,
      orderId: `CI-${invoiceId.replaceAll('-', '').slice(0, 12).toUpperCase()}`,
      currency: currency.code,
      network: currency.network,
      amountMicroUsd: toDecimal(order.amountMicroUsd),
      dueUnits: due.toString(),
      toleranceUnits: ((due * BigInt(toleranceBasisPoints)) / BASIS_POINTS).toString(),
      priceMicroUsd: toDecimal(priceMicroUsd),
      quotes: [...quotes],
      confirmations: this.settings.confirmations[currency.network],
      returnUrl: order.returnUrl,
      createdAt: isoOf(createdAtMs),
      expiresAt: isoOf(createdAtMs + validMs),
      watchUntil: isoOf(createdAtMs + validMs + watchedMs),
    };
    // Last, so that an order which fails before uses no index.
    const data: Terms = { ...terms, target: await this.#targetOf(currency, terms, context) };
    const command = { type: 'CreateCryptoInvoice', data, limits } as const;
    const invoice = await this.runners.onInvoice(command, context);
    return invoice.terms ?? data;
  }

  #demandSettings({ code, network }: Currency): void {
    const { target, node } = NETWORK_VARIABLES[network];
    const hasTarget =
      network === 'solana'
        ? this.settings.solanaRecipient !== null
        : this.settings.keys[network] !== undefined;
    const missing = hasTarget ? node : target;
    if (hasTarget && this.watchers.isConfigured(network)) return;
    reject('crypto_not_configured', `${code} cannot be paid here: ${missing} is not set`);
  }

  async #demandRoom(accountId: string): Promise<void> {
    const { openMax } = this.settings.invoices;
    const list = { prefix: `${accountId}/`, limit: OPEN_LISTED_MAX };
    const { documents } = await this.projections.list(openCryptoInvoices, list);
    const awaited = documents.filter(({ document }) => document.isAwaited).length;
    if (awaited < openMax) return;
    reject(
      'too_many_crypto_invoices',
      `${awaited} crypto invoices wait for their payment, and ${openMax} are allowed`,
    );
  }

  /** A fresh address or reference. The index of an invoice that is not created stays unused. */
  async #targetOf(
    { network }: Currency,
    { invoiceId, accountId }: Pick<Terms, 'invoiceId' | 'accountId'>,
    context: CommandContext,
  ): Promise<PaymentTarget> {
    if (network === 'solana') {
      const recipient = this.settings.solanaRecipient ?? '';
      const reference = solanaAddressOf(randomBytes(REFERENCE_BYTES));
      return { kind: 'reference', recipient, reference };
    }
    const key = this.settings.keys[network];
    if (!key) throw new Error(`${network} has no key`);
    const { fingerprint } = key;
    const allocatedAt = instant(this.clock);
    const data = { fingerprint, invoiceId, accountId, allocatedAt };
    const { addressAt } = await import('../assets/addresses.js');
    const { gap: limits } = this.settings.invoices;
    const index = await this.runners.indexFor({ type: 'AllocateIndex', data, limits }, context);
    return { kind: 'address', address: addressAt(network, key, index), fingerprint, index };
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString();
