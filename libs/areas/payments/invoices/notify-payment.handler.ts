import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { type CryptoInvoiceStatus } from '#events/payments/crypto.vocabulary.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { isSigned, type SignatureHeaders } from '#platform/webhooks/standard-webhooks.js';
import { currencies, toUnits } from '../assets/currency.js';
import { reject } from '../payments.errors.js';
import { PAYMENTS_SETTINGS, type PaymentsSettings } from '../payments.settings.js';
import { CryptoInvoiceQuery } from './crypto-invoice.query.js';
import { InvoiceObserver } from './invoice-observer.js';

/** A notice of a payment processor or a node. */
export interface PaymentNotice {
  readonly invoiceId: string;
  readonly currency: string;
  /** In coins, as a decimal. */
  readonly amount: string;
}

/** A notification, as it was received. */
export class NotifyPaymentCommand extends Command<CryptoInvoiceStatus> {
  constructor(
    readonly notice: PaymentNotice,
    readonly headers: SignatureHeaders,
    readonly body: Uint8Array,
  ) {
    super();
  }
}

const LOOK_MS_MAX = 20_000;

/**
 * A notification credits nothing. It is verified and compared with the invoice, and then the chain
 * is looked at: only what the chain shows is believed.
 */
@CommandHandler(NotifyPaymentCommand)
export class NotifyPaymentHandler implements ICommandHandler<NotifyPaymentCommand> {
  constructor(
    private readonly queries: QueryBus,
    private readonly observer: InvoiceObserver,
    @Inject(PAYMENTS_SETTINGS) private readonly settings: Pick<PaymentsSettings, 'notifySecret'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @returns the status of the invoice after the look. @throws DomainError */
  async execute({ notice, headers, body }: NotifyPaymentCommand): Promise<CryptoInvoiceStatus> {
    const { notifySecret } = this.settings;
    if (!notifySecret) {
      return reject('crypto_not_configured', 'QUIPU_CRYPTO_NOTIFY_SECRET is not set');
    }
    if (!isSigned(headers, body, notifySecret, this.clock.now())) {
      reject('crypto_notification_invalid', 'the signature is missing, wrong or too old');
    }
    const { invoiceId, currency, amount } = notice;
    const query = new CryptoInvoiceQuery(invoiceId, null);
    const { terms } = await this.queries.execute(query);
    if (terms.currency !== currency) mismatch('currency');
    if (unitsOf(terms.currency, amount) !== BigInt(terms.dueUnits)) mismatch('amount');
    try {
      await this.observer.observe(terms.network, [terms], AbortSignal.timeout(LOOK_MS_MAX));
    } catch {
      reject('crypto_chain_unavailable', `${terms.network} cannot be read now; it is tried again`);
    }
    return (await this.queries.execute(query)).status;
  }
}

const mismatch = (field: string): never =>
  reject('crypto_notification_mismatch', `the ${field} differs from the invoice`);

/** Null for a text that is no amount. */
const unitsOf = (currency: keyof typeof currencies, amount: string): bigint | null => {
  try {
    return toUnits(currencies[currency], amount);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};
