import {
  CleanroomCreated,
  type Column,
  ContributionAccepted,
  ContributionWithdrawn,
  ParticipantAdded,
  ParticipantRemoved,
  PrivacyReleased,
  PrivacyReserved,
  PrivacySpent,
  type Role,
  type RoomEvent,
  RoomSchemaRegistered,
} from '#events/cleanrooms/cleanroom.events.js';
import { type Projection } from '#platform/kernel/projection.js';
import { fractionOf, fractionText } from '#platform/kernel/rational.js';

export interface Participant {
  readonly accountId: string;
  readonly role: Role;
}

export interface Contribution {
  readonly contributionId: string;
  readonly accountId: string;
  readonly schemaVersion: number;
  readonly rows: number;
  readonly blob: string;
  readonly acceptedAt: string;
}

export interface RoomSchema {
  readonly version: number;
  readonly columns: readonly Column[];
}

type Created = CleanroomCreated['data'];

export interface RoomRecord extends Created {
  /** In the order in which they came. */
  readonly participants: readonly Participant[];
  readonly schema: RoomSchema | null;
  readonly contributions: readonly Contribution[];
  /** Rises with each change of the schema or the rows. */
  readonly rowsVersion: number;
  /** Sums of costs: exact fractions in the unit of `limit`. */
  readonly spent: string;
  readonly reserved: string;
  /** Answers that were given. */
  readonly computations: number;
}

/** Null before the room was created. */
export interface RoomDocument {
  readonly room: RoomRecord | null;
}

const sum = (one: string, other: string): string =>
  fractionText(fractionOf(one).plus(fractionOf(other)));

const difference = (one: string, other: string): string =>
  fractionText(fractionOf(one).plus(fractionOf(other).negated()));

const isSame = (one: Participant, { accountId, role }: Participant): boolean =>
  one.accountId === accountId && one.role === role;

const created = (data: Created): RoomRecord => ({
  ...data,
  participants: [],
  schema: null,
  contributions: [],
  rowsVersion: 0,
  spent: '0',
  reserved: '0',
  computations: 0,
});

const withRows = (room: RoomRecord, contributions: RoomRecord['contributions']): RoomRecord => ({
  ...room,
  contributions,
  rowsVersion: room.rowsVersion + 1,
});

const changed = (
  { type, data }: Exclude<RoomEvent, CleanroomCreated>,
  room: RoomRecord,
): RoomRecord => {
  switch (type) {
    case 'ParticipantAdded': {
      const { accountId, role } = data;
      return { ...room, participants: [...room.participants, { accountId, role }] };
    }
    case 'ParticipantRemoved':
      return { ...room, participants: room.participants.filter((one) => !isSame(one, data)) };
    case 'RoomSchemaRegistered': {
      const { version, columns } = data;
      return { ...room, schema: { version, columns }, rowsVersion: room.rowsVersion + 1 };
    }
    case 'ContributionAccepted': {
      const { cleanroomId: _, ...contribution } = data;
      return withRows(room, [...room.contributions, contribution]);
    }
    case 'ContributionWithdrawn': {
      const { contributionId: gone } = data;
      return withRows(
        room,
        room.contributions.filter(({ contributionId }) => contributionId !== gone),
      );
    }
    case 'PrivacyReserved':
      return { ...room, reserved: sum(room.reserved, data.cost) };
    case 'PrivacySpent':
      return {
        ...room,
        reserved: difference(room.reserved, data.cost),
        spent: sum(room.spent, data.cost),
        computations: room.computations + 1,
      };
    case 'PrivacyReleased':
      return { ...room, reserved: difference(room.reserved, data.cost) };
  }
};

/** The record that the events of one room make. */
export const roomAfter = (event: RoomEvent, room: RoomRecord | null): RoomRecord | null =>
  event.type === 'CleanroomCreated' ? created(event.data) : room && changed(event, room);

/** Who takes part in a room, and what is left of its privacy budget? */
export const cleanrooms: Projection<RoomEvent, RoomDocument> = {
  name: 'cleanrooms',
  version: 1,
  on: {
    CleanroomCreated,
    ParticipantAdded,
    ParticipantRemoved,
    RoomSchemaRegistered,
    ContributionAccepted,
    ContributionWithdrawn,
    PrivacyReserved,
    PrivacySpent,
    PrivacyReleased,
  },
  keys: ({ data }) => [data.cleanroomId],
  initial: () => ({ room: null }),
  project: (event, { room }) => ({ room: roomAfter(event, room) }),
};
