import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  type EventFilter,
  type EventStore,
  type RecordedEvent,
} from '#platform/event-store/event-store.port.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';
import { auditError, AuditLog, type SignedCheckpoint } from './audit-log.js';
import { audited, type AuditedEvent } from './audited-request.handler.js';

export interface LogEventsOrder {
  /** The events behind this number of events. */
  readonly after: number;
  readonly limit: number;
  /** By the beginning of the stream or of the type. */
  readonly filter?: EventFilter;
}

export interface LogEvent {
  /** How many events the log has up to this one. */
  readonly number: number;
  readonly event: RecordedEvent;
}

export interface LogEventsPage {
  readonly events: readonly LogEvent[];
  /** Of the last published event. */
  readonly position: bigint;
}

/** Events of the published log, in order. */
export class LogEventsQuery extends Query<LogEventsPage> {
  constructor(readonly order: LogEventsOrder) {
    super();
  }
}

@QueryHandler(LogEventsQuery)
export class LogEventsHandler implements IQueryHandler<LogEventsQuery> {
  constructor(
    private readonly log: AuditLog,
    @Inject(EVENT_STORE) private readonly eventStore: Pick<EventStore, 'readAll'>,
  ) {}

  /** @throws DomainError `tree_size_unknown` for a number beyond the log */
  async execute({ order }: LogEventsQuery): Promise<LogEventsPage> {
    const { after, limit: maxCount, filter } = order;
    const checkpoint = await this.log.checkpoint();
    if (after > checkpoint.size) {
      throw auditError('tree_size_unknown', `the log has ${checkpoint.size} events`);
    }
    const place = await this.log.placeBefore(after);
    const events: LogEvent[] = [];
    const options = { after: place, maxCount, ...(filter && { filter }) };
    for await (const page of this.eventStore.readAll(options)) {
      for (const event of page) {
        const found = await this.#numbered(event, checkpoint);
        if (found) events.push(found);
      }
    }
    return { events, position: await this.log.placeBefore(checkpoint.size) };
  }

  /** Undefined: the event is not published yet, or another program's. */
  async #numbered(event: RecordedEvent, { size }: SignedCheckpoint): Promise<LogEvent | undefined> {
    const index = await this.log.indexOf(event.position, size);
    return index === undefined ? undefined : { number: index + 1, event };
  }
}

/** One event of the published log, with its proof. */
export class LogEventQuery extends Query<AuditedEvent> {
  constructor(
    /** How many events the log has up to this one. */
    readonly number: number,
  ) {
    super();
  }
}

@QueryHandler(LogEventQuery)
export class LogEventHandler implements IQueryHandler<LogEventQuery> {
  constructor(private readonly log: AuditLog) {}

  /** @throws DomainError `leaf_not_found` */
  async execute({ number }: LogEventQuery): Promise<AuditedEvent> {
    const leaf = await this.log.leaf(number - 1);
    return audited(await this.log.eventOf(leaf), leaf);
  }
}
