import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type AccountEvent } from '#events/billing/account.events.js';
import { type EventStore, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { fromDecimal, type MicroUsd } from '#platform/kernel/money.js';
import { priceOf } from '#platform/ledger/price.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type LogPlaces } from '#platform/runtime/history/log-places.js';
import { CODEC, EVENT_STORE, LOG_PLACES } from '#platform/runtime/tokens.js';
import { accountStream } from '../accounts.js';
import { type BillingErrorCode } from '../billing.errors.js';
import { RejectionMemory, type RememberedRejection } from './rejection-memory.js';
import { findAccount, findRequest, type FoundRequest } from './request-search.js';

/** An event of the request, as the log has it. */
export interface ExplainedEvent {
  readonly eventId: string;
  readonly position: bigint;
  readonly revision: bigint;
  readonly recordedAt: string;
  readonly event: AccountEvent;
  /** Deposits less charges less open holds; null for an event that moves no money. */
  readonly availableBefore: MicroUsd | null;
  readonly availableAfter: MicroUsd | null;
}

export type Explanation =
  | {
      readonly kind: 'admitted';
      readonly accountId: string;
      readonly requestId: string;
      readonly status: 'open' | 'charged' | 'free';
      readonly events: readonly ExplainedEvent[];
      readonly complete: boolean;
    }
  | {
      readonly kind: 'rejected';
      readonly rejection: RememberedRejection;
      /** The worst-case price; null for a request that was rejected before it was priced. */
      readonly askedMicroUsd: MicroUsd | null;
      /** Of the last event of the account on which the decision rests. */
      readonly position: bigint;
      /** The last event of the account before the decision that states what was available. */
      readonly evidence: {
        readonly eventId: string;
        readonly position: bigint;
        readonly recordedAt: string;
        readonly available: MicroUsd;
      } | null;
    };

type RejectedExplanation = Extract<Explanation, { readonly kind: 'rejected' }>;

/** The facts on which the ledger decided a request. */
export class ExplainRequestQuery extends Query<Explanation> {
  constructor(
    readonly requestId: string,
    /** Null for whatever account it is of, which costs a search of the log. */
    readonly accountId: string | null,
  ) {
    super();
  }
}

@QueryHandler(ExplainRequestQuery)
export class ExplainRequestHandler implements IQueryHandler<ExplainRequestQuery> {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(CODEC) private readonly codec: EventCodec,
    @Inject(LOG_PLACES) private readonly places: LogPlaces,
    private readonly memory: RejectionMemory,
  ) {}

  /** @throws DomainError `request_not_found` */
  async execute({ requestId, accountId }: ExplainRequestQuery): Promise<Explanation> {
    const rejection = await this.memory.find(requestId, accountId);
    if (rejection) return this.#explainRejection(rejection);
    const account = accountId ?? (await findAccount(this.eventStore, this.places, requestId));
    const found = account && (await findRequest(this.eventStore, requestId, account));
    if (found) return this.#explain(requestId, found);
    throw new DomainError<BillingErrorCode>(
      'request_not_found',
      'the log has no hold of this request, and no rejection of it is remembered',
    );
  }

  #explain(requestId: string, { accountId, events, complete }: FoundRequest): Explanation {
    const explained = events.map((recorded) => this.#explainEvent(recorded));
    const end = explained.findLast(({ event: { type } }) => type in STATUS)?.event.type;
    const status = end === undefined ? 'open' : (STATUS[end] ?? 'open');
    return { kind: 'admitted', accountId, requestId, status, events: explained, complete };
  }

  #explainEvent(recorded: RecordedEvent): ExplainedEvent {
    const event = this.codec.revive(recorded) as AccountEvent;
    const { id: eventId, position, revision, recordedAt } = recorded;
    return { eventId, position, revision, recordedAt, event, ...balanceAround(event) };
  }

  async #explainRejection(rejection: RememberedRejection): Promise<Explanation> {
    const { asked } = rejection;
    const askedMicroUsd = asked && priceOf(asked.lines);
    return { kind: 'rejected', rejection, askedMicroUsd, ...(await this.#basisOf(rejection)) };
  }

  /** Reads the account's stream backwards, from the event on which the decision rests. */
  async #basisOf({
    accountId,
    revision,
  }: RememberedRejection): Promise<Pick<RejectedExplanation, 'position' | 'evidence'>> {
    const from = BigInt(revision);
    let basis = 0n;
    if (from < 0n) return { position: basis, evidence: null };
    const stream = accountStream(accountId);
    for await (const page of this.eventStore.read(stream, { direction: 'backwards', from })) {
      for (const recorded of page) {
        if (recorded.revision === from) basis = recorded.position;
        const { eventId, availableAfter, recordedAt, position } = this.#explainEvent(recorded);
        if (availableAfter === null) continue;
        const evidence = { eventId, position, recordedAt, available: availableAfter };
        return { position: basis, evidence };
      }
    }
    return { position: basis, evidence: null };
  }
}

const STATUS: Readonly<Record<string, 'open' | 'charged' | 'free'>> = {
  HoldPlaced: 'open',
  HoldCaptured: 'charged',
  HoldReleased: 'free',
  HoldExpired: 'free',
};

const balanceAround = (
  event: AccountEvent,
): Pick<ExplainedEvent, 'availableBefore' | 'availableAfter'> => {
  const { data } = event;
  if (!('availableMicroUsd' in data)) return { availableBefore: null, availableAfter: null };
  const availableAfter = fromDecimal(data.availableMicroUsd);
  return { availableBefore: availableAfter - freedBy(event), availableAfter };
};

/** By how much an event makes the available amount larger. */
const freedBy = ({ type, data }: AccountEvent): MicroUsd => {
  if (!('amountMicroUsd' in data)) return 0n;
  if ('releasedMicroUsd' in data) return fromDecimal(data.releasedMicroUsd);
  const amount = fromDecimal(data.amountMicroUsd);
  return type === 'HoldPlaced' || type === 'HoldRenewed' ? -amount : amount;
};
