import { Inject, Injectable } from '@nestjs/common';
import { type AccountEvent } from '#events/billing/account.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { fromDecimal } from '#platform/kernel/money.js';
import {
  type Capture,
  type HoldEnd,
  type HoldOrder,
  type LedgerEntry,
  type LeftHold,
  type PlacedHold,
  type PreviewedHold,
  type Release,
  type Renewal,
} from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { Products } from '#platform/ledger/product.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { type CommandOutcome } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type AccountCommand, accountDecider, demandFunds } from './account.decider.js';
import { type AccountState, heldLines } from './account.state.js';
import { type BillingErrorCode } from './billing.errors.js';
import { type Accounts, ACCOUNTS, accountStream } from './accounts.js';
import { exhausted, exhaustedBudgetOf, paceOf } from './budgets/budget.rules.js';
import { RejectionMemory, type RememberedRejection } from './explanations/rejection-memory.js';
import { holdEndIn } from './hold-end.js';
import { WAITING_SETTINGS, type WaitingSettings } from './waiting/waiting.settings.js';
import { type PlaceHold, WaitingHolds } from './waiting/waiting-holds.js';

type Outcome = CommandOutcome<AccountState, AccountEvent>;

/** The ledger of every area: holds and charges are events of the account that pays. */
@Injectable()
export class AccountLedger extends Ledger {
  readonly #waiting: WaitingHolds;

  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(CODEC) private readonly codec: EventCodec,
    private readonly products: Products,
    private readonly memory: RejectionMemory,
    @Inject(WAITING_SETTINGS) { waitMsMax }: WaitingSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super();
    this.#waiting = new WaitingHolds(accounts, waitMsMax);
  }

  override demandFunds(accountId: string, requestId?: string): void | Promise<void> {
    const stream = accountStream(accountId);
    const last = this.accounts.lastStateOf(stream);
    if (last && last.available > 0n) return undefined;
    return this.#demandAny(accountId, requestId);
  }

  async #demandAny(accountId: string, requestId?: string): Promise<void> {
    const { state } = await this.accounts.stateOf(accountStream(accountId));
    // The holds of others may end by the time that the hold is placed, which waits for it.
    if (state.held > 0n && this.#waiting.hasRoom(accountId)) return;
    try {
      demandAny(state);
    } catch (error) {
      if (requestId !== undefined) this.#remember(error, { accountId, requestId, order: null });
      throw error;
    }
  }

  override async place(
    order: HoldOrder,
    context: CommandContext,
    signal?: AbortSignal,
  ): Promise<PlacedHold> {
    const { group, paced } = this.products.ofHold(order);
    const command = { type: 'PlaceHold', data: { ...order, group, paced } } as const;
    let outcome: Outcome;
    try {
      outcome = await this.#run(command, context);
    } catch (error) {
      outcome = await this.#placeLater(error, command, context, signal);
    }
    const { state } = outcome;
    const placed = placedHold(state, order.holdId);
    const pace = paceOf(state.budgets, order, order.placedAt);
    return pace ? { ...placed, pace } : placed;
  }

  /** @throws the error of the last try */
  async #placeLater(
    rejection: unknown,
    command: PlaceHold,
    context: CommandContext,
    signal: AbortSignal | undefined,
  ): Promise<Outcome> {
    try {
      if (!signal) throw rejection;
      const again = () => this.#run(command, context);
      return await this.#waiting.placeLater(rejection, command, again, signal);
    } catch (error) {
      return this.#rejected(command.data, error, context);
    }
  }

  override async preview(order: HoldOrder): Promise<PreviewedHold> {
    const { group, paced } = this.products.ofHold(order);
    const { state } = await this.accounts.stateOf(accountStream(order.accountId));
    const data = { ...order, group, paced };
    const [placed] = accountDecider.decide({ type: 'PlaceHold', data }, state);
    // The id of the order belongs to an open hold, which would be held.
    if (placed?.type !== 'HoldPlaced') return placedHold(state, order.holdId);
    const { lines, amountMicroUsd } = placed.data;
    return {
      lines,
      amountMicroUsd: fromDecimal(amountMicroUsd),
      availableMicroUsd: state.available,
    };
  }

  async #rejected(order: HoldOrder, error: unknown, context: CommandContext): Promise<never> {
    const { accountId } = order;
    this.#remember(error, { accountId, requestId: context.correlationId, order });
    await this.#reportExhausted(order, error, context);
    throw error;
  }

  override async renew(renewal: Renewal, context: CommandContext): Promise<PlacedHold> {
    this.products.ofLines(renewal);
    const { state } = await this.#run({ type: 'RenewHold', data: renewal }, context);
    return placedHold(state, renewal.holdId);
  }

  override async capture(capture: Capture, context: CommandContext): Promise<LedgerEntry> {
    this.products.ofCapture(capture);
    const outcome = await this.#run({ type: 'CaptureHold', data: capture }, context);
    this.#waiting.ended(capture.accountId);
    return entryOf(capture, outcome);
  }

  override async release(release: Release, context: CommandContext): Promise<void> {
    await this.#run({ type: 'ReleaseHold', data: release }, context);
    this.#waiting.ended(release.accountId);
  }

  override async settle(left: LeftHold, context: CommandContext): Promise<HoldEnd> {
    const { notBefore, ...release } = left;
    const { events } = await this.#run({ type: 'SettleHold', data: release }, context);
    if (events.length > 0) {
      this.#waiting.ended(left.accountId);
      return 'free';
    }
    const end = await this.#endOf(left);
    return end === 'open' ? this.settle(left, context) : end;
  }

  /** Beside the request: it neither waits for it nor fails with it. */
  #remember(error: unknown, { accountId, requestId, order }: RejectedRequest): void {
    if (!(error instanceof DomainError) || !REMEMBERED.includes(String(error.code))) return;
    if (!this.memory.admits(accountId)) return;
    const rejection = {
      accountId,
      requestId,
      rejectedAt: instant(this.clock),
      code: String(error.code),
      message: error.detail,
      facts: error.metadata ?? {},
      asked: order && askedOf(order),
    };
    this.accounts
      .stateOf(accountStream(accountId))
      .then(({ revision }) =>
        this.memory.remember({ ...rejection, revision: (revision ?? -1n).toString() }),
      )
      .catch(() => undefined);
  }

  /** Once for each window of a budget: later rejections find it reported. */
  async #reportExhausted(
    order: HoldOrder,
    error: unknown,
    { requestId: id, correlationId, actor }: CommandContext,
  ): Promise<void> {
    const by = exhaustedBudgetOf(error, order);
    if (!by) return;
    const { accountId, placedAt: at } = order;
    const data = { accountId, at, ...by };
    const state = this.accounts.lastStateOf(accountStream(accountId));
    if (state && exhausted(state.budgets, data).length === 0) return;
    const context = followUp({ id, correlationId }, 'report exhausted', actor);
    // The request stays rejected if the report cannot be written; the next one reports it.
    await this.#run({ type: 'ReportExhausted', data }, context).catch(() => undefined);
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

interface RejectedRequest {
  readonly accountId: string;
  readonly requestId: string;
  /** Null for a request that was rejected before it was priced. */
  readonly order: HoldOrder | null;
}

/** The events that an explanation needs. */
const REMEMBERED: readonly string[] = [
  'insufficient_balance',
  'budget_exceeded',
  'rate_limit_exceeded',
] satisfies readonly BillingErrorCode[];

const askedOf = ({
  purpose,
  lines,
  rateCardVersion,
  key,
}: HoldOrder): RememberedRejection['asked'] => ({
  purpose,
  lines,
  rateCardVersion,
  key: key ?? null,
});

/** The smallest amount of money. */
const ANY = 1n;

const demandAny = ({ opened, available, held }: AccountState): void => {
  if (opened) demandFunds(ANY, available, held, false);
};

const entryOf = ({ holdId }: Capture, { events, eventIds, state }: Outcome): LedgerEntry => {
  const [captured] = events;
  const [eventId] = eventIds;
  if (captured?.type !== 'HoldCaptured' || eventId === undefined) {
    throw new Error(`hold ${holdId} was captured without an event`);
  }
  return {
    eventId,
    chargedMicroUsd: fromDecimal(captured.data.amountMicroUsd),
    availableMicroUsd: state.available,
  };
};

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
