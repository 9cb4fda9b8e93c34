import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  PrivacyReleased,
  PrivacyReserved,
  PrivacySpent,
} from '#events/cleanrooms/cleanroom.events.js';
import { isMember } from './room.decider.js';
import { roomIdOfStream, Rooms } from './rooms.js';

/** Of these alone: other events of a room tell how many rows an account has. */
const SHARED: readonly string[] = [PrivacyReserved, PrivacySpent, PrivacyReleased].map(
  ({ type }) => type,
);

/** Whether an event is about the privacy budget of a room in which the account takes part. */
export class MaySeeSpendQuery extends Query<boolean> {
  constructor(
    readonly accountId: string,
    readonly stream: string,
    readonly type: string,
  ) {
    super();
  }
}

@QueryHandler(MaySeeSpendQuery)
export class MaySeeSpendHandler implements IQueryHandler<MaySeeSpendQuery> {
  constructor(private readonly rooms: Rooms) {}

  async execute({ accountId, stream, type }: MaySeeSpendQuery): Promise<boolean> {
    const cleanroomId = SHARED.includes(type) ? roomIdOfStream(stream) : null;
    if (cleanroomId === null) return false;
    const { room } = await this.rooms.stateOf(cleanroomId);
    return room !== null && isMember(room, accountId);
  }
}
