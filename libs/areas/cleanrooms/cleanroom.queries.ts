import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import {
  type DocumentReader,
  type Projections,
} from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  cleanroomMembers,
  membershipsPrefix,
} from '#projections/cleanrooms/cleanroom-members.projection.js';
import { cleanrooms, type RoomRecord } from '#projections/cleanrooms/cleanrooms.projection.js';
import { EnclaveActions, type EnclaveStatus } from './enclave-actions.port.js';
import { type ShownBudget, shownBudget } from './room-budget.js';
import { demandRoom } from './room.decider.js';

export interface ShownRoom {
  readonly room: RoomRecord;
  readonly budget: ShownBudget;
  readonly enclave: EnclaveStatus;
}

export interface RoomPage {
  readonly rooms: readonly ShownRoom[];
  readonly total: number;
  readonly position: bigint;
}

export interface PageAsked {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  readonly asOf?: AsOf | undefined;
}

/** A page of the rooms in which an account takes part, by number. */
export class RoomsQuery extends Query<RoomPage> {
  constructor(
    /** Null: of all accounts, for the operator. */
    readonly accountId: string | null,
    readonly asked: PageAsked,
  ) {
    super();
  }
}

@QueryHandler(RoomsQuery)
export class RoomsHandler implements IQueryHandler<RoomsQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>,
    private readonly enclaves: EnclaveActions,
  ) {}

  async execute({ accountId, asked }: RoomsQuery): Promise<RoomPage> {
    const { asOf, page, limit } = asked;
    const reader = await this.projections.at(asOf);
    const found = await this.#records(reader, accountId, { page, limit });
    const rooms = await Promise.all(found.rooms.map((room) => shownRoom(room, this.enclaves)));
    return { ...found, rooms };
  }

  async #records(
    reader: DocumentReader,
    accountId: string | null,
    page: Pick<PageAsked, 'page' | 'limit'>,
  ) {
    if (accountId === null) {
      const { documents, total, position } = await numberedPage(reader, cleanrooms, page);
      return { rooms: documents.flatMap(({ document }) => document.room ?? []), total, position };
    }
    const prefix = membershipsPrefix(accountId);
    const members = await numberedPage(reader, cleanroomMembers, { ...page, prefix });
    const found = await Promise.all(
      members.documents.map(({ document }) => reader.get(cleanrooms, document.cleanroomId)),
    );
    const { total, position } = members;
    return { rooms: found.flatMap(({ document }) => document?.room ?? []), total, position };
  }
}

const shownRoom = async (room: RoomRecord, enclaves: EnclaveActions): Promise<ShownRoom> => ({
  room,
  budget: shownBudget(room),
  enclave: await enclaves.status(room),
});

export interface PositionedRoom extends ShownRoom {
  readonly position: bigint;
}

/** One room, as an account that takes part in it sees it. */
export class RoomQuery extends Query<PositionedRoom> {
  constructor(
    readonly cleanroomId: string,
    readonly accountId: string,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(RoomQuery)
export class RoomHandler implements IQueryHandler<RoomQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>,
    private readonly enclaves: EnclaveActions,
  ) {}

  /** @throws DomainError `cleanroom_not_found` */
  async execute({ cleanroomId, accountId, asOf }: RoomQuery): Promise<PositionedRoom> {
    const reader = await this.projections.at(asOf);
    const { document, position } = await reader.get(cleanrooms, cleanroomId);
    const room = demandRoom(document?.room ?? null, accountId);
    return { ...(await shownRoom(room, this.enclaves)), position };
  }
}
