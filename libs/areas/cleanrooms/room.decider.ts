import { Map as ImmutableMap, Set as ImmutableSet } from 'immutable';
import {
  CleanroomCreated,
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
import { type Decider } from '#platform/kernel/decider.js';
import { fractionOf, fractionText } from '#platform/kernel/rational.js';
import {
  type Contribution,
  roomAfter,
  type RoomRecord,
} from '#projections/cleanrooms/cleanrooms.projection.js';
import { reject } from './cleanrooms.errors.js';

/** Of accounts in roles. */
export const PARTICIPANTS_MAX = 100;
export const CONTRIBUTIONS_MAX = 1_000;
/** Each is an entry of the state, so that its rows do not come back. */
export const WITHDRAWALS_MAX = 10_000;
/** Of all contributions to a room. */
export const ROWS_MAX = 200_000;
/** Each is an entry of the state. */
export const SPENDS_MAX = 10_000;

/** Who asks; the room of another account does not exist for it. */
interface Asked {
  readonly by: string;
}

type Of<Event extends { readonly data: object }, Omitted extends string = never> = Omit<
  Event['data'],
  'number' | Omitted
>;

export type RoomCommand =
  | { readonly type: 'CreateRoom'; readonly data: CleanroomCreated['data'] }
  | { readonly type: 'AddParticipant'; readonly data: Asked & Of<ParticipantAdded> }
  | { readonly type: 'RemoveParticipant'; readonly data: Asked & Of<ParticipantRemoved> }
  | { readonly type: 'RegisterSchema'; readonly data: Asked & Of<RoomSchemaRegistered, 'version'> }
  | { readonly type: 'AcceptContribution'; readonly data: ContributionAccepted['data'] }
  | {
      readonly type: 'WithdrawContribution';
      readonly data: Asked & Pick<ContributionWithdrawn['data'], 'contributionId' | 'withdrawnAt'>;
    }
  | { readonly type: 'ReservePrivacy'; readonly data: PrivacyReserved['data'] }
  | {
      readonly type: 'SpendPrivacy';
      readonly data: Pick<PrivacySpent['data'], 'spendId' | 'answer' | 'spentAt'>;
    }
  | {
      readonly type: 'ReleasePrivacy';
      readonly data: Pick<PrivacyReleased['data'], 'spendId' | 'releasedAt'>;
    };

export interface RoomState {
  /** Null before the room was created. */
  readonly room: RoomRecord | null;
  /** Open reservations by their spends. */
  readonly reservations: ImmutableMap<string, PrivacyReserved['data']>;
  /** Spends by `spendKey`. */
  readonly answers: ImmutableMap<string, PrivacySpent['data']>;
  /** Contributions whose key is destroyed, or about to be. */
  readonly withdrawn: ImmutableSet<string>;
}

type Commands = { readonly [C in RoomCommand as C['type']]: C['data'] };

/** One query of one analyst. */
export const spendKey = ({
  accountId,
  queryHash,
}: Pick<PrivacySpent['data'], 'accountId' | 'queryHash'>): string => `${accountId}/${queryHash}`;

export const hasRole = (room: RoomRecord, accountId: string, role: Role): boolean =>
  room.participants.some((one) => one.accountId === accountId && one.role === role);

export const isMember = (room: RoomRecord, accountId: string): boolean =>
  room.accountId === accountId || room.participants.some((one) => one.accountId === accountId);

/** @throws DomainError `cleanroom_not_found`, also for a room that the account does not see */
export const demandRoom = (room: RoomRecord | null, accountId: string): RoomRecord =>
  room && isMember(room, accountId)
    ? room
    : reject('cleanroom_not_found', 'there is no such clean room');

const demandOwner = ({ room }: RoomState, accountId: string): RoomRecord => {
  const found = demandRoom(room, accountId);
  if (found.accountId === accountId) return found;
  return reject('cleanroom_role_missing', 'only the account that created the room may change it');
};

export const demandRole = ({ room }: RoomState, accountId: string, role: Role): RoomRecord => {
  const found = demandRoom(room, accountId);
  if (hasRole(found, accountId, role)) return found;
  return reject('cleanroom_role_missing', `the account is no ${role} of the room`);
};

export const contributorsOf = ({ contributions }: RoomRecord): number =>
  new Set(contributions.map(({ accountId }) => accountId)).size;

const addParticipant = ({ by, ...data }: Commands['AddParticipant'], state: RoomState) => {
  const room = demandOwner(state, by);
  if (hasRole(room, data.accountId, data.role)) {
    const detail = `account ${data.accountId} is a ${data.role} already`;
    return reject('cleanroom_participant_exists', detail);
  }
  if (room.participants.length >= PARTICIPANTS_MAX) {
    return reject('cleanroom_full', `the room has ${PARTICIPANTS_MAX} participants`);
  }
  return [ParticipantAdded.of({ ...data, number: room.number })];
};

const removeParticipant = ({ by, ...data }: Commands['RemoveParticipant'], state: RoomState) => {
  const room = demandOwner(state, by);
  const { accountId, role, removedAt } = data;
  if (!hasRole(room, accountId, role)) {
    const detail = `account ${accountId} is no ${role} of the room`;
    return reject('cleanroom_participant_unknown', detail);
  }
  // The account will not see the room any more, so it could not withdraw its rows later.
  const own = room.contributions.filter((one) => one.accountId === accountId);
  const withdrawn =
    role === 'contributor' ? own.map((one) => withdrawal(room, one, removedAt)) : [];
  return [...withdrawn, ParticipantRemoved.of({ ...data, number: room.number })];
};

const withdrawal = (
  { cleanroomId }: RoomRecord,
  { contributionId, accountId, rows, blob }: Contribution,
  withdrawnAt: string,
): ContributionWithdrawn =>
  ContributionWithdrawn.of({ cleanroomId, contributionId, accountId, rows, blob, withdrawnAt });

const registerSchema = ({ by, ...data }: Commands['RegisterSchema'], state: RoomState) => {
  const room = demandOwner(state, by);
  if (room.contributions.length > 0) {
    return reject('cleanroom_schema_in_use', 'the room has rows in the current schema');
  }
  return [RoomSchemaRegistered.of({ ...data, version: (room.schema?.version ?? 0) + 1 })];
};

const acceptContribution = (data: Commands['AcceptContribution'], state: RoomState) => {
  const room = demandRole(state, data.accountId, 'contributor');
  const known = room.contributions.find((one) => one.contributionId === data.contributionId);
  if (known) {
    return known.blob === data.blob
      ? []
      : reject('cleanroom_contribution_exists', 'the contribution has other rows');
  }
  if (state.withdrawn.has(data.contributionId)) {
    return reject('cleanroom_contribution_exists', 'the contribution was withdrawn');
  }
  if (state.withdrawn.size >= WITHDRAWALS_MAX) {
    return reject('cleanroom_full', `a room has at most ${WITHDRAWALS_MAX} withdrawals`);
  }
  if (data.schemaVersion !== room.schema?.version) {
    const current = room.schema ? `is ${room.schema.version}` : 'is missing';
    return reject('cleanroom_schema_superseded', `the schema of the room ${current}`);
  }
  const rows = room.contributions.reduce((total, one) => total + one.rows, data.rows);
  if (rows > ROWS_MAX || room.contributions.length >= CONTRIBUTIONS_MAX) {
    return reject(
      'cleanroom_full',
      `a room has at most ${ROWS_MAX} rows in ${CONTRIBUTIONS_MAX} contributions`,
    );
  }
  return [ContributionAccepted.of(data)];
};

const withdrawContribution = (
  { by, contributionId, withdrawnAt }: Commands['WithdrawContribution'],
  { room }: RoomState,
) => {
  const found = demandRoom(room, by);
  const own = found.contributions.find(
    (one) => one.contributionId === contributionId && one.accountId === by,
  );
  return own
    ? [withdrawal(found, own, withdrawnAt)]
    : reject('cleanroom_contribution_not_found', 'there is no such contribution');
};

const reservePrivacy = (data: Commands['ReservePrivacy'], state: RoomState) => {
  const room = demandRole(state, data.accountId, 'analyst');
  if (state.reservations.has(data.spendId) || state.answers.has(spendKey(data))) return [];
  if (state.reservations.some((open) => spendKey(open) === spendKey(data))) {
    return reject('privacy_query_running', 'the same query is being answered; send it again later');
  }
  if (contributorsOf(room) < room.contributorsMin) {
    return reject(
      'cleanroom_contributors_missing',
      `the room answers when ${room.contributorsMin} accounts have rows in it, and ` +
        `${contributorsOf(room)} have`,
    );
  }
  if (room.computations + state.reservations.size >= SPENDS_MAX) {
    return reject('cleanroom_full', `a room answers at most ${SPENDS_MAX} queries`);
  }
  demandBudget(room, data.cost);
  return [PrivacyReserved.of(data)];
};

/** @throws DomainError `privacy_budget_exceeded` */
export const demandBudget = (room: RoomRecord, cost: string): void => {
  const used = fractionOf(room.spent).plus(fractionOf(room.reserved));
  const left = fractionOf(room.limit).plus(used.negated());
  if (fractionOf(cost).compare(left) <= 0) return;
  const unit = room.rule === 'pure' ? 'epsilon' : 'rho';
  const remaining = fractionText(left);
  reject(
    'privacy_budget_exceeded',
    `the query spends ${decimalsOf(cost)} ${unit}, and ${decimalsOf(remaining)} is left`,
    { unit, cost, remaining },
  );
};

const spendPrivacy = (
  { spendId, answer, spentAt }: Commands['SpendPrivacy'],
  { reservations, answers }: RoomState,
) => {
  const reservation = reservations.get(spendId);
  if (reservation) {
    const { expiresAt: _, ...reserved } = reservation;
    return [PrivacySpent.of({ ...reserved, answer, spentAt })];
  }
  if (answers.some((one) => one.spendId === spendId)) return [];
  return reject('privacy_reservation_ended', 'the query took too long; send it again');
};

const releasePrivacy = (
  { spendId, releasedAt }: Commands['ReleasePrivacy'],
  { reservations }: RoomState,
) => {
  const reservation = reservations.get(spendId);
  if (!reservation) return [];
  const { cleanroomId, accountId, cost, reservedAt } = reservation;
  return [PrivacyReleased.of({ cleanroomId, spendId, accountId, cost, reservedAt, releasedAt })];
};

const decide = ({ type, data }: RoomCommand, state: RoomState): RoomEvent[] => {
  switch (type) {
    case 'CreateRoom':
      return state.room ? [] : [CleanroomCreated.of(data)];
    case 'AddParticipant':
      return addParticipant(data, state);
    case 'RemoveParticipant':
      return removeParticipant(data, state);
    case 'RegisterSchema':
      return registerSchema(data, state);
    case 'AcceptContribution':
      return acceptContribution(data, state);
    case 'WithdrawContribution':
      return withdrawContribution(data, state);
    case 'ReservePrivacy':
      return reservePrivacy(data, state);
    case 'SpendPrivacy':
      return spendPrivacy(data, state);
    case 'ReleasePrivacy':
      return releasePrivacy(data, state);
  }
};

const evolve = (state: RoomState, event: RoomEvent): RoomState => {
  const after = { ...state, room: roomAfter(event, state.room) };
  switch (event.type) {
    case 'PrivacyReserved':
      return { ...after, reservations: state.reservations.set(event.data.spendId, event.data) };
    case 'PrivacySpent':
      return {
        ...after,
        reservations: state.reservations.delete(event.data.spendId),
        answers: state.answers.set(spendKey(event.data), event.data),
      };
    case 'PrivacyReleased':
      return { ...after, reservations: state.reservations.delete(event.data.spendId) };
    case 'CleanroomCreated':
    case 'ParticipantAdded':
    case 'ParticipantRemoved':
    case 'RoomSchemaRegistered':
    case 'ContributionAccepted':
      return after;
    case 'ContributionWithdrawn':
      return { ...after, withdrawn: state.withdrawn.add(event.data.contributionId) };
  }
};

/** Of a fraction: plain decimals, rounded where they have no end. */
const decimalsOf = (amount: string): string => fractionOf(amount).toDecimal().text;

export const roomDecider: Decider<RoomCommand, RoomState, RoomEvent> = {
  initialState: {
    room: null,
    reservations: ImmutableMap(),
    answers: ImmutableMap(),
    withdrawn: ImmutableSet(),
  },
  decide,
  evolve,
};
