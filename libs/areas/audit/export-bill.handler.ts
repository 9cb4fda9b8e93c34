import { type Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type EventStore, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';
import { auditError, AuditLog, type SignedCheckpoint } from './audit-log.js';
import { audited } from './audited-request.handler.js';
import { type BilledStatement, BillSources } from './bill-sources.port.js';
import { type ExportedEvent } from './bill/bill-archive.js';
import { writeBill } from './bill/bill-writer.js';

/** Events of the account from its first up to the end of the statement. */
export const BILL_EVENTS_MAX = 500_000;
/** Events proven without a turn of the event loop for other work. */
const EVENTS_PER_TURN = 8;

/** The archive that proves a statement. */
export class ExportBillQuery extends Query<Readable> {
  constructor(
    readonly accountId: string,
    /** `YYYY-MM`, in UTC. */
    readonly month: string,
  ) {
    super();
  }
}

@QueryHandler(ExportBillQuery)
export class ExportBillHandler implements IQueryHandler<ExportBillQuery> {
  constructor(
    private readonly log: AuditLog,
    private readonly sources: BillSources,
    @Inject(EVENT_STORE) private readonly eventStore: Pick<EventStore, 'read' | 'readAll'>,
  ) {}

  /**
   * The events are read while the archive is written; one that cannot be proven ends it early.
   * @throws DomainError of billing for a month without a statement; `audit_not_ready`,
   *   `bill_too_large`
   */
  async execute({ accountId, month }: ExportBillQuery): Promise<Readable> {
    const statement = await this.sources.statement(accountId, month);
    const checkpoint = await this.log.cosigned();
    const stream = this.sources.accountStream(accountId);
    const end = await this.#endOf(stream, month, statement);
    const rateCards = this.#eventsOf(this.sources.rateCardStream(), checkpoint, () => 'go-on');
    const { position: _, ...stated } = statement;
    return writeBill({
      accountId,
      month,
      stream,
      statement: stated,
      events: this.#eventsOf(stream, checkpoint, (event) =>
        event.revision < end ? 'go-on' : 'last',
      ),
      rateCards: await Array.fromAsync(rateCards),
      checkpoint: checkpoint.note,
      key: this.log.verifierKey(),
    });
  }

  /** The revision of the last event that the statement needs. */
  async #endOf(stream: string, month: string, { status, position }: BilledStatement) {
    let end = -1n;
    for await (const page of this.#pagesOf(stream)) {
      for (const event of page) {
        if (event.position > BigInt(position)) break;
        end = event.revision;
        if (status === 'closed' && closes(event, month)) return end;
      }
      if (end >= BigInt(BILL_EVENTS_MAX)) {
        const detail = `the account has more than ${BILL_EVENTS_MAX} events up to ${month}`;
        throw auditError('bill_too_large', detail);
      }
    }
    return end;
  }

  async *#eventsOf(
    stream: string,
    checkpoint: SignedCheckpoint,
    after: (event: RecordedEvent) => 'go-on' | 'last',
  ): AsyncGenerator<ExportedEvent> {
    let count = 0;
    for await (const page of this.#pagesOf(stream)) {
      for (const event of page) {
        const leaf = await this.log.leafAt(event.position, checkpoint);
        const { encoding } = audited(event, leaf);
        yield { leaf: leaf.index, encoding, proof: leaf.hashes };
        if (after(event) === 'last') return;
        count += 1;
        if (count % EVENTS_PER_TURN === 0) await nextTurn();
      }
    }
  }

  /** Some servers do not report the positions of events that are read from their stream. */
  async *#pagesOf(stream: string): AsyncGenerator<readonly RecordedEvent[]> {
    for await (const page of this.eventStore.read(stream)) {
      if (page.some(({ position }) => position === 0n)) {
        yield* this.#pagesOfLog(stream);
        return;
      }
      yield page;
    }
  }

  async *#pagesOfLog(stream: string): AsyncGenerator<readonly RecordedEvent[]> {
    const filter = { by: 'stream', prefixes: [stream] } as const;
    for await (const page of this.eventStore.readAll({ filter })) {
      yield page.filter((event) => event.stream === stream);
    }
  }
}

const closes = ({ type, data }: RecordedEvent, month: string): boolean =>
  type === 'StatementClosed' && (data as { readonly month?: unknown }).month === month;
