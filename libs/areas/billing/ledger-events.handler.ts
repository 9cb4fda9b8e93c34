import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { PositionDemand } from '#platform/event-store/position-demand.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type LogPlaces } from '#platform/runtime/history/log-places.js';
import { CODEC, EVENT_STORE, LOG_PLACES } from '#platform/runtime/tokens.js';
import { accountStream } from './accounts.js';
import { type BillingErrorCode } from './billing.errors.js';
import { type ExplainedEvent, explainedEvent } from './explanations/explained-event.js';

/** The log as an account follows it: up to `size`, it has no further event of the account. */
export interface LedgerStep {
  /** The number of events of the log. */
  readonly size: bigint;
  /** When the last of them was recorded. Null: there is none, or it cannot be read. */
  readonly recordedAt: string | null;
  /** The event of the account at that place; null: only other events came. */
  readonly explained: ExplainedEvent | null;
}

export interface LedgerEvents {
  /** Ends without an error when the signal aborts. */
  readonly follow: (signal: AbortSignal) => AsyncGenerator<LedgerStep, void, void>;
}

/** Follows the events of an account, by their place in the whole log. */
export class LedgerEventsQuery extends Query<LedgerEvents> {
  constructor(
    readonly accountId: string,
    /** The number of events of the log that the caller has seen. Null: all there are now. */
    readonly after: bigint | null,
  ) {
    super();
  }
}

@QueryHandler(LedgerEventsQuery)
export class LedgerEventsHandler implements IQueryHandler<LedgerEventsQuery> {
  constructor(
    @Inject(EVENT_STORE)
    private readonly eventStore: Pick<EventStore, 'head' | 'readAll' | 'subscribe'>,
    @Inject(CODEC) private readonly codec: EventCodec,
    @Inject(LOG_PLACES) private readonly places: LogPlaces,
  ) {}

  /** @throws DomainError `ledger_event_unknown` for a place that the log does not have */
  async execute({ accountId, after }: LedgerEventsQuery): Promise<LedgerEvents> {
    const from = await this.#positionOf(after);
    return { follow: (signal) => this.#follow(accountStream(accountId), from, signal) };
  }

  async #positionOf(after: bigint | null): Promise<Position> {
    if (after === null) return this.eventStore.head();
    const position = after === 0n ? 0n : await this.places.positionAt(after);
    if (position !== undefined) return position;
    throw new DomainError<BillingErrorCode>(
      'ledger_event_unknown',
      `Last-Event-ID: expected a number of events that the log has, received ${after}`,
    );
  }

  async *#follow(
    stream: string,
    from: Position,
    signal: AbortSignal,
  ): AsyncGenerator<LedgerStep, void, void> {
    yield this.#headAt(from);
    const filter = { by: 'stream', prefixes: [stream] } as const;
    // Not opened: a batch that only moves the position comes up to a second late.
    const positions = new PositionDemand();
    const options = { after: from, filter, positions, signal };
    for await (const { events, position } of this.eventStore.subscribe(options)) {
      let last: Position | null = null;
      for (const recorded of events) {
        // The prefix fits the streams of other accounts, too: `account-1` and `account-12`.
        if (recorded.stream !== stream) continue;
        last = recorded.position;
        const size = await this.places.sizeAt(last);
        const { recordedAt } = recorded;
        yield { size, recordedAt, explained: explainedEvent(this.codec, recorded) };
      }
      if (last !== position) yield this.#headAt(position);
    }
  }

  async #headAt(position: Position): Promise<LedgerStep> {
    const [size, recordedAt] = await Promise.all([
      this.places.sizeAt(position),
      this.#recordedAt(position),
    ]);
    return { size, recordedAt, explained: null };
  }

  async #recordedAt(position: Position): Promise<string | null> {
    if (position === 0n) return null;
    // An audit reports a damaged event; here only its time is unknown.
    const onDamaged = (): void => undefined;
    for await (const [last] of this.eventStore.readAll({
      after: position - 1n,
      maxCount: 1,
      onDamaged,
    })) {
      if (last?.position === position) return last.recordedAt;
    }
    return null;
  }
}
