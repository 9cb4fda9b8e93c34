import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  type CleanroomCreated,
  type RoomEvent,
  roomEvents,
} from '#events/cleanrooms/cleanroom.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { fractionOf, fractionText, type Rational, rational } from '#platform/kernel/rational.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CODEC, EVENT_STORE, PROJECTIONS } from '#platform/runtime/tokens.js';
import { cleanrooms, type RoomRecord } from '#projections/cleanrooms/cleanrooms.projection.js';
import { limitOf } from './room-budget.js';
import { Rooms, roomStream } from './rooms.js';

/** The budget of one room, computed again from its events. */
export interface AuditedRoom {
  readonly cleanroomId: string;
  readonly name: string;
  readonly limit: string;
  readonly spent: string;
  readonly reserved: string;
  readonly spends: number;
  /** Empty: the room keeps its budget, and the read model shows it. */
  readonly faults: readonly string[];
}

/** Audits every room of the log. */
export class AuditRoomsQuery extends Query<readonly AuditedRoom[]> {}

@QueryHandler(AuditRoomsQuery)
export class AuditRoomsHandler implements IQueryHandler<AuditRoomsQuery> {
  readonly #codec: CodecOf<RoomEvent>;

  constructor(
    private readonly rooms: Rooms,
    @Inject(EVENT_STORE) private readonly eventStore: Pick<EventStore, 'read'>,
    @Inject(CODEC) codec: EventCodec,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>,
  ) {
    this.#codec = codec.for(roomEvents);
  }

  async execute(): Promise<readonly AuditedRoom[]> {
    const audited: AuditedRoom[] = [];
    for (const cleanroomId of await this.rooms.ids()) {
      const ledger = new SpendLedger();
      for await (const page of this.eventStore.read(roomStream(cleanroomId))) {
        for (const event of page) ledger.add(this.#codec.revive(event));
      }
      const { document } = await this.projections.get(cleanrooms, cleanroomId);
      const room = ledger.audited(document?.room ?? null);
      if (room) audited.push(room);
    }
    return audited;
  }
}

/** Shares no code with the decider and the projection that it checks. */
class SpendLedger {
  readonly #open = new Map<string, string>();
  readonly #paid = new Set<string>();
  readonly #faults: string[] = [];
  #created: CleanroomCreated['data'] | null = null;
  #spent = rational(0n);

  add({ type, data }: RoomEvent): void {
    if (type === 'CleanroomCreated') {
      this.#created = data;
      const amounts = { epsilon: data.totalEpsilon, delta: data.totalDelta };
      if (limitOf(data.rule, amounts) !== data.limit) this.#report('the limit is another one');
    } else if (type === 'PrivacyReserved') {
      this.#open.set(data.spendId, data.cost);
      const used = this.#reserved().plus(this.#spent);
      const limit = fractionOf(this.#created?.limit ?? '0');
      if (used.compare(limit) > 0) this.#report(`${data.spendId} exceeds the limit`);
    } else if (type === 'PrivacySpent') {
      this.#end(data.spendId, data.cost);
      const query = `${data.accountId}/${data.queryHash}`;
      if (this.#paid.has(query)) this.#report(`${data.spendId} pays for a query again`);
      this.#paid.add(query);
      this.#spent = this.#spent.plus(fractionOf(data.cost));
    } else if (type === 'PrivacyReleased') {
      this.#end(data.spendId, data.cost);
    }
  }

  audited(room: RoomRecord | null): AuditedRoom | null {
    const { cleanroomId, name, limit } = this.#created ?? {};
    if (cleanroomId === undefined || name === undefined || limit === undefined) return null;
    const spent = fractionText(this.#spent);
    const reserved = fractionText(this.#reserved());
    const spends = this.#paid.size;
    if (room?.spent !== spent || room.reserved !== reserved || room.computations !== spends) {
      this.#report('the read model differs from the log');
    }
    return { cleanroomId, name, limit, spent, reserved, spends, faults: this.#faults };
  }

  #end(spendId: string, cost: string): void {
    if (this.#open.get(spendId) !== cost)
      this.#report(`${spendId} ends no reservation of its cost`);
    this.#open.delete(spendId);
  }

  #reserved(): Rational {
    return [...this.#open.values()].reduce((sum, cost) => sum.plus(fractionOf(cost)), rational(0n));
  }

  #report(fault: string): void {
    this.#faults.push(fault);
  }
}
