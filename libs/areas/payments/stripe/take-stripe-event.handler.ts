import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { toDecimal } from '#platform/kernel/money.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Deposits } from '../deposits.port.js';
import { PaymentRunners } from '../invoices/payment-runners.js';
import { reject } from '../payments.errors.js';
import { PAYMENTS_SETTINGS, type PaymentsSettings } from '../payments.settings.js';
import { movementIn, type StripeMovement } from './stripe-event.js';
import { isSignedByStripe } from './stripe-signature.js';

/** An event of Stripe, as it was received. @returns whether it moved money, now or before */
export class TakeStripeEventCommand extends Command<boolean> {
  constructor(
    readonly signature: string | undefined,
    readonly body: Buffer,
    readonly context: CommandContext,
  ) {
    super();
  }
}

const depositIdOf = (paymentId: string): string => `stripe-${paymentId}`;

/**
 * Credits a payment, and takes back a refund or a chargeback. Stripe sends an event again
 * until it is answered, also in another order: every step has an effect once.
 */
@CommandHandler(TakeStripeEventCommand)
export class TakeStripeEventHandler implements ICommandHandler<TakeStripeEventCommand> {
  constructor(
    private readonly runners: PaymentRunners,
    private readonly deposits: Deposits,
    @Inject(PAYMENTS_SETTINGS)
    private readonly settings: Pick<PaymentsSettings, 'stripeSecret'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError */
  async execute({ signature, body, context }: TakeStripeEventCommand): Promise<boolean> {
    const { stripeSecret } = this.settings;
    if (stripeSecret === null) {
      return reject('stripe_not_configured', 'QUIPU_STRIPE_WEBHOOK_SECRET is not set');
    }
    if (!isSignedByStripe(signature, body, stripeSecret, this.clock.now())) {
      reject('stripe_signature_invalid', 'the signature is missing, wrong or too old');
    }
    const movement = movementIn(JSON.parse(body.toString('utf8')));
    if (movement === null) return false;
    await (movement.kind === 'paid'
      ? this.#receive(movement, context)
      : this.#change(movement, context));
    return true;
  }

  /** The credit comes first: where the account does not exist, nothing is stored. */
  async #receive(
    { paymentId, accountId, amount }: Extract<StripeMovement, { kind: 'paid' }>,
    context: CommandContext,
  ): Promise<void> {
    const amountMicroUsd = toDecimal(amount);
    const at = instant(this.clock);
    await this.deposits.credit(
      {
        accountId,
        depositId: depositIdOf(paymentId),
        amountMicroUsd,
        method: 'stripe',
        reason: `payment ${paymentId}`,
        depositedAt: at,
      },
      context,
    );
    const data = { paymentId, accountId, amountMicroUsd, receivedAt: at };
    await this.runners.receiveStripePayment(data, context);
  }

  async #change(
    movement: Exclude<StripeMovement, { kind: 'paid' }>,
    context: CommandContext,
  ): Promise<void> {
    const { kind, paymentId } = movement;
    const accountId = await this.runners.accountOfStripePayment(paymentId);
    if (accountId === null) {
      return reject('stripe_payment_not_found', `the payment ${paymentId} was not credited here`);
    }
    const at = instant(this.clock);
    if (kind === 'reinstated') {
      return this.deposits.credit(
        {
          accountId,
          depositId: `stripe-${movement.disputeId}-reinstated`,
          amountMicroUsd: toDecimal(movement.amount),
          method: 'stripe',
          reason: `the dispute of payment ${paymentId} was won`,
          depositedAt: at,
        },
        context,
      );
    }
    return this.deposits.reverse(
      {
        accountId,
        depositId: depositIdOf(paymentId),
        kind,
        totalMicroUsd: toDecimal(movement.total),
        reason: `payment ${paymentId}`,
        reversedAt: at,
      },
      context,
    );
  }
}
