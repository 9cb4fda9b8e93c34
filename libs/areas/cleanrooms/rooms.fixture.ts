import {
  CleanroomCreated,
  type Column,
  ContributionAccepted,
  ParticipantAdded,
  type PrivacyCharge,
  PrivacyReserved,
  PrivacySpent,
  type Role,
  RoomSchemaRegistered,
} from '#events/cleanrooms/cleanroom.events.js';

export const ROOM_ID = '0198c0de-0000-5000-8000-000000000001';
export const OWNER = '7';
export const ANALYST = '8';
export const CONTRIBUTOR = '9';
export const OUTSIDER = '66';
export const AT = '2026-11-25T20:00:00.000Z';
export const HASH = 'a'.repeat(64);
export const BLOB = 'b'.repeat(64);

export const COLUMNS: readonly Column[] = [
  { kind: 'category', name: 'clinic', values: ['north', 'south'] },
  { kind: 'number', name: 'wait_hours', minimum: '0', maximum: '12', step: '0.25' },
];

export const idOf = (kind: number, index: number): string =>
  `0198c0de-0000-7000-8${kind}00-${String(index).padStart(12, '0')}`;

export const created = (more: Partial<CleanroomCreated['data']> = {}) =>
  CleanroomCreated.of({
    ...{ cleanroomId: ROOM_ID, number: 1, accountId: OWNER, name: 'Wait times' },
    ...{ totalEpsilon: '4', totalDelta: '0', rule: 'pure', accountantVersion: 1, limit: '4' },
    ...{ contributorsMin: 1, createdAt: AT },
    ...more,
  });

export const added = (accountId: string, role: Role) =>
  ParticipantAdded.of({ cleanroomId: ROOM_ID, number: 1, accountId, role, addedAt: AT });

export const registered = (columns = COLUMNS, version = 1) =>
  RoomSchemaRegistered.of({ cleanroomId: ROOM_ID, version, columns, registeredAt: AT });

export const contributed = (index = 1, more: Partial<ContributionAccepted['data']> = {}) =>
  ContributionAccepted.of({
    ...{ cleanroomId: ROOM_ID, contributionId: idOf(1, index), accountId: CONTRIBUTOR },
    ...{ schemaVersion: 1, rows: 10, blob: BLOB, acceptedAt: AT },
    ...more,
  });

/** A room with an analyst, a contributor and ten rows. */
export const readyRoom = (more: Partial<CleanroomCreated['data']> = {}) => [
  created(more),
  added(ANALYST, 'analyst'),
  added(CONTRIBUTOR, 'contributor'),
  registered(),
  contributed(),
];

export const charge = (cost = '1'): PrivacyCharge => ({
  ...{ mechanism: 'discrete_laplace', sensitivity: '1', epsilon: cost, delta: '0', cost },
  ...{ queryHash: HASH, accountantVersion: 1 },
});

export const reservation = (index: number, more: Partial<PrivacyReserved['data']> = {}) => ({
  ...{ cleanroomId: ROOM_ID, spendId: idOf(2, index), accountId: ANALYST, reservedAt: AT },
  expiresAt: '2026-11-25T20:02:00.000Z',
  ...charge(),
  ...more,
});

export const reserved = (index: number, more: Partial<PrivacyReserved['data']> = {}) =>
  PrivacyReserved.of(reservation(index, more));

export const spent = (index: number, more: Partial<PrivacyReserved['data']> = {}) => {
  const { expiresAt: _, ...data } = reservation(index, more);
  return PrivacySpent.of({ ...data, answer: BLOB, spentAt: AT });
};

export const answered = (index: number, more: Partial<PrivacyReserved['data']> = {}) => [
  reserved(index, more),
  spent(index, more),
];
