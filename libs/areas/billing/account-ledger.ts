import { Inject, Injectable } from '@nestjs/common';
import { type AccountEvent } from '#events/billing/account.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { fromDecimal } from '#platform/kernel/money.js';
import {
  type Capture,
  type HoldEnd,
  type HoldOrder,
  type LedgerEntry,
  type LeftHold,
  type PlacedHold,
  type Release,
  type Renewal,
} from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { Products } from '#platform/ledger/product.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { type CommandOutcome } from '#platform/runtime/command-runner.js';
import { type EventCodec } from '#platform/runtime/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type AccountCommand } from './account.decider.js';
import { type AccountState, heldLines } from './account.state.js';
import { type Accounts, ACCOUNTS, accountStream } from './accounts.js';
import { holdEndIn } from './hold-end.js';

type Outcome = CommandOutcome<AccountState, AccountEvent>;

/** The ledger of every area: holds and charges are events of the account that pays. */
@Injectable()
export class AccountLedger extends Ledger {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(CODEC) private readonly codec: EventCodec,
    private readonly products: Products,
  ) {
    super();
  }

  override async place(order: HoldOrder, context: CommandContext): Promise<PlacedHold> {
    const { group } = this.products.ofHold(order);
    const { state } = await this.#run({ type: 'PlaceHold', data: { ...order, group } }, context);
    return placedHold(state, order.holdId);
  }

  override async renew(renewal: Renewal, context: CommandContext): Promise<PlacedHold> {
    this.products.ofLines(renewal);
    const { state } = await this.#run({ type: 'RenewHold', data: renewal }, context);
    return placedHold(state, renewal.holdId);
  }

  override async capture(capture: Capture, context: CommandContext): Promise<LedgerEntry> {
    this.products.ofCapture(capture);
    const outcome = await this.#run({ type: 'CaptureHold', data: capture }, context);
    const { events, eventIds, state } = outcome;
    const [captured] = events;
    const [eventId] = eventIds;
    if (captured?.type !== 'HoldCaptured' || eventId === undefined) {
      throw new Error(`hold ${capture.holdId} was captured without an event`);
    }
    return {
      eventId,
      chargedMicroUsd: fromDecimal(captured.data.amountMicroUsd),
      availableMicroUsd: state.available,
    };
  }

  override async release(release: Release, context: CommandContext): Promise<void> {
    await this.#run({ type: 'ReleaseHold', data: release }, context);
  }

  override async settle(left: LeftHold, context: CommandContext): Promise<HoldEnd> {
    const { notBefore, ...release } = left;
    const { events } = await this.#run({ type: 'SettleHold', data: release }, context);
    if (events.length > 0) return 'free';
    const end = await this.#endOf(left);
    return end === 'open' ? this.settle(left, context) : end;
  }

  async #endOf(left: LeftHold): Promise<HoldEnd | 'open'> {
    const stream = accountStream(left.accountId);
    for await (const page of this.eventStore.read(stream, { direction: 'backwards' })) {
      const past = page.map((recorded) => ({
        event: this.codec.revive(recorded) as AccountEvent,
        recordedAt: recorded.recordedAt,
      }));
      const end = holdEndIn(left, past);
      if (end) return end;
    }
    return 'free';
  }

  #run(command: AccountCommand, context: CommandContext): Promise<Outcome> {
    return this.accounts.run(accountStream(command.data.accountId), command, context);
  }
}

const placedHold = ({ holds, available }: AccountState, holdId: string): PlacedHold => {
  const hold = holds.get(holdId);
  if (!hold) throw new Error(`hold ${holdId} is not in the state that it was decided on`);
  return {
    lines: heldLines(hold),
    amountMicroUsd: hold.amount,
    expiresAt: hold.expiresAt,
    availableMicroUsd: available,
  };
};
