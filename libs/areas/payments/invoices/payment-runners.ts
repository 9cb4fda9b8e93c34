import { Inject, Injectable } from '@nestjs/common';
import {
  type CryptoInvoiceEvent,
  cryptoInvoiceEvents,
} from '#events/payments/crypto-invoice.events.js';
import {
  type CryptoPaymentClaimed,
  cryptoPaymentEvents,
} from '#events/payments/crypto-payment.events.js';
import {
  type DepositIndexUsed,
  type DepositKeyEvent,
  depositKeyEvents,
} from '#events/payments/deposit-key.events.js';
import {
  type StripePaymentReceived,
  stripePaymentEvents,
} from '#events/payments/stripe-payment.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type CryptoInvoiceCommand, cryptoInvoiceDecider } from './crypto-invoice.decider.js';
import { type CryptoInvoiceState } from './crypto-invoice.state.js';
import {
  type ClaimPayment,
  cryptoPaymentDecider,
  type CryptoPaymentState,
} from './crypto-payment.decider.js';
import {
  type ReceivePayment,
  stripePaymentDecider,
  type StripePaymentState,
} from '../stripe/stripe-payment.decider.js';
import {
  type DepositKeyCommand,
  depositKeyDecider,
  type DepositKeyState,
} from './deposit-key.decider.js';

const invoiceStream = (invoiceId: string): string => `cryptoinvoice-${invoiceId}`;

const stripeStream = (paymentId: string): string => `stripepayment-${paymentId}`;

const keyStream = (fingerprint: string): string => `depositkey-${fingerprint}`;

/** Runs the commands of the area on their streams. */
@Injectable()
export class PaymentRunners {
  readonly #invoices: CommandRunner<CryptoInvoiceCommand, CryptoInvoiceState, CryptoInvoiceEvent>;
  readonly #keys: CommandRunner<DepositKeyCommand, DepositKeyState, DepositKeyEvent>;
  readonly #payments: CommandRunner<ClaimPayment, CryptoPaymentState, CryptoPaymentClaimed>;
  readonly #stripe: CommandRunner<ReceivePayment, StripePaymentState, StripePaymentReceived>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const invoices = { decider: cryptoInvoiceDecider, codec: codec.for(cryptoInvoiceEvents) };
    this.#invoices = new CommandRunner({ ...invoices, eventStore });
    const keys = { decider: depositKeyDecider, codec: codec.for(depositKeyEvents) };
    this.#keys = new CommandRunner({ ...keys, eventStore });
    const payments = { decider: cryptoPaymentDecider, codec: codec.for(cryptoPaymentEvents) };
    this.#payments = new CommandRunner({ ...payments, eventStore });
    const stripe = { decider: stripePaymentDecider, codec: codec.for(stripePaymentEvents) };
    this.#stripe = new CommandRunner({ ...stripe, eventStore });
  }

  /** @returns the state after the command. @throws DomainError */
  async onInvoice(
    command: CryptoInvoiceCommand,
    context: CommandContext,
  ): Promise<CryptoInvoiceState> {
    const stream = invoiceStream(command.data.invoiceId);
    return (await this.#invoices.run(stream, command, context)).state;
  }

  /** As this process knows it, or as the log has it. */
  async knownInvoice(invoiceId: string): Promise<CryptoInvoiceState> {
    const stream = invoiceStream(invoiceId);
    return this.#invoices.lastStateOf(stream) ?? (await this.#invoices.stateOf(stream)).state;
  }

  /** As the log has it. */
  async currentInvoice(invoiceId: string): Promise<CryptoInvoiceState> {
    return (await this.#invoices.stateOf(invoiceStream(invoiceId))).state;
  }

  /** The index of the key that belongs to the invoice alone. */
  async indexFor(
    order: Extract<DepositKeyCommand, { readonly type: 'AllocateIndex' }>,
    context: CommandContext,
  ): Promise<number> {
    const { fingerprint, invoiceId } = order.data;
    const stream = keyStream(fingerprint);
    const { state } = await this.#keys.run(stream, order, context);
    const index = state.indexOf.get(invoiceId);
    if (index === undefined) throw new Error(`${stream} has no index for ${invoiceId}`);
    return index;
  }

  /** A block has a payment to the address of the index. */
  async useIndex(data: DepositIndexUsed['data'], context: CommandContext): Promise<void> {
    await this.#keys.run(keyStream(data.fingerprint), { type: 'UseIndex', data }, context);
  }

  /** The invoice that the payment belongs to: this one, unless another was first. */
  async ownerOf(data: ClaimPayment['data'], context: CommandContext): Promise<string | null> {
    const stream = `cryptopayment-${data.network}-${data.txid}-${data.output}`;
    const { state } = await this.#payments.run(stream, { type: 'ClaimPayment', data }, context);
    return state.invoiceId;
  }

  async receiveStripePayment(data: ReceivePayment['data'], context: CommandContext): Promise<void> {
    const command = { type: 'ReceivePayment', data } as const;
    await this.#stripe.run(stripeStream(data.paymentId), command, context);
  }

  /** The account that a payment was credited to; null: none. */
  async accountOfStripePayment(paymentId: string): Promise<string | null> {
    return (await this.#stripe.stateOf(stripeStream(paymentId))).state.accountId;
  }
}
