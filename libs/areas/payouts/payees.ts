import { Inject, Injectable } from '@nestjs/common';
import { type Beneficiary } from '#events/payouts/earning.events.js';
import { type PayoutEvent, payoutEvents } from '#events/payouts/payout.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type MicroUsd } from '#platform/kernel/money.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { ACCRUAL_STREAM, type AccrualRunner, ACCRUALS } from './accruals.js';
import { type PayeeState, type PayoutCommand, payoutDecider } from './payout.decider.js';

const payeeStream = (beneficiary: Beneficiary): string => `payee-${beneficiary}`;

/** Runs the commands of the streams `payee-<beneficiary>`. */
@Injectable()
export class Payees {
  readonly #payees: CommandRunner<PayoutCommand, PayeeState, PayoutEvent>;

  constructor(
    @Inject(ACCRUALS) private readonly accruals: AccrualRunner,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
  ) {
    this.#payees = new CommandRunner({
      decider: payoutDecider,
      eventStore,
      codec: codec.for(payoutEvents),
    });
  }

  async run(command: PayoutCommand, context: CommandContext): Promise<PayeeState> {
    const stream = payeeStream(command.data.beneficiary);
    return (await this.#payees.run(stream, command, context)).state;
  }

  async stateOf(beneficiary: Beneficiary): Promise<PayeeState> {
    return (await this.#payees.stateOf(payeeStream(beneficiary))).state;
  }

  /** The total earnings of a beneficiary, by the accruals that are in the log now. */
  async accruedOf(beneficiary: Beneficiary): Promise<MicroUsd> {
    const { state } = await this.accruals.stateOf(ACCRUAL_STREAM);
    const total = state.earned.get(beneficiary)?.total ?? 0n;
    return total > 0n ? total : 0n;
  }
}
