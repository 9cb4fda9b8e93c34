import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type MicroUsd } from '#platform/kernel/money.js';
import { priceOf } from '#platform/ledger/price.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type LogPlaces } from '#platform/runtime/history/log-places.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CODEC, EVENT_STORE, LOG_PLACES, PROJECTIONS } from '#platform/runtime/tokens.js';
import { accountStream } from '../accounts.js';
import { type BillingErrorCode } from '../billing.errors.js';
import { type ExplainedEvent, explainedEvent } from './explained-event.js';
import { RejectionMemory, type RememberedRejection } from './rejection-memory.js';
import { findAccount, findRequest, type FoundRequest } from './request-search.js';

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
    /** Explains as of a past state of the log. */
    readonly asOf?: AsOf,
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
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>,
  ) {}

  /** @throws DomainError `request_not_found` */
  async execute({ requestId, accountId, asOf }: ExplainRequestQuery): Promise<Explanation> {
    const until = asOf && (await this.projections.at(asOf)).position;
    const rejection = await this.memory.find(requestId, accountId);
    if (rejection) {
      const explained = await this.#explainRejection(rejection);
      if (isUpTo(explained.position, until)) return explained;
    }
    const account = accountId ?? (await findAccount(this.eventStore, this.places, requestId));
    const found = account && (await findRequest(this.eventStore, requestId, account));
    const events = found ? found.events.filter(({ position }) => isUpTo(position, until)) : [];
    if (found && events.length > 0) return this.#explain(requestId, { ...found, events });
    throw new DomainError<BillingErrorCode>(
      'request_not_found',
      'the log has no hold of this request, and no rejection of it is remembered',
    );
  }

  #explain(requestId: string, { accountId, events, complete }: FoundRequest): Explanation {
    const explained = events.map((recorded) => explainedEvent(this.codec, recorded));
    const end = explained.findLast(({ event: { type } }) => type in STATUS)?.event.type;
    const status = end === undefined ? 'open' : (STATUS[end] ?? 'open');
    return { kind: 'admitted', accountId, requestId, status, events: explained, complete };
  }

  async #explainRejection(rejection: RememberedRejection): Promise<RejectedExplanation> {
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
        const { eventId, availableAfter, recordedAt, position } = explainedEvent(
          this.codec,
          recorded,
        );
        if (availableAfter === null) continue;
        const evidence = { eventId, position, recordedAt, available: availableAfter };
        return { position: basis, evidence };
      }
    }
    return { position: basis, evidence: null };
  }
}

const isUpTo = (position: bigint, until: bigint | undefined): boolean =>
  until === undefined || position <= until;

const STATUS: Readonly<Record<string, 'open' | 'charged' | 'free'>> = {
  HoldPlaced: 'open',
  HoldCaptured: 'charged',
  HoldReleased: 'free',
  HoldExpired: 'free',
};
