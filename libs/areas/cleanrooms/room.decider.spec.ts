import { describe, it } from '@jest/globals';
import {
  ContributionWithdrawn,
  ParticipantRemoved,
  PrivacyReleased,
} from '#events/cleanrooms/cleanroom.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import {
  CONTRIBUTIONS_MAX,
  PARTICIPANTS_MAX,
  roomDecider,
  ROWS_MAX,
  SPENDS_MAX,
  WITHDRAWALS_MAX,
} from './room.decider.js';
import {
  added,
  ANALYST,
  AT,
  BLOB,
  COLUMNS,
  contributed,
  CONTRIBUTOR,
  created,
  HASH,
  idOf,
  OUTSIDER,
  OWNER,
  readyRoom,
  registered,
  reservation,
  answered,
  reserved,
  ROOM_ID,
  spent,
} from './rooms.fixture.js';

const rooms = deciderSpecOf(roomDecider);
const add = (by: string, accountId = ANALYST) =>
  ({
    type: 'AddParticipant',
    data: { cleanroomId: ROOM_ID, by, accountId, role: 'analyst', addedAt: AT },
  }) as const;
const remove = (accountId: string, role: 'analyst' | 'contributor') =>
  ({
    type: 'RemoveParticipant',
    data: { cleanroomId: ROOM_ID, by: OWNER, accountId, role, removedAt: AT },
  }) as const;
const register = (by = OWNER) =>
  ({
    type: 'RegisterSchema',
    data: { cleanroomId: ROOM_ID, by, columns: COLUMNS, registeredAt: AT },
  }) as const;
const accept = (index: number, more = {}) =>
  ({ type: 'AcceptContribution', data: contributed(index, more).data }) as const;
const withdraw = (by: string, index = 1) =>
  ({
    type: 'WithdrawContribution',
    data: { by, contributionId: idOf(1, index), withdrawnAt: AT },
  }) as const;
const reserve = (index: number, more = {}) =>
  ({ type: 'ReservePrivacy', data: reservation(index, more) }) as const;
const spend = (index: number) =>
  ({ type: 'SpendPrivacy', data: { spendId: idOf(2, index), answer: BLOB, spentAt: AT } }) as const;
const release = (index: number) =>
  ({ type: 'ReleasePrivacy', data: { spendId: idOf(2, index), releasedAt: AT } }) as const;
const withdrawnOf = (index: number) =>
  ContributionWithdrawn.of({
    ...{ cleanroomId: ROOM_ID, contributionId: idOf(1, index), accountId: CONTRIBUTOR },
    ...{ rows: 10, blob: BLOB, withdrawnAt: AT },
  });
const withdrawn = withdrawnOf(1);

describe('a room', () => {
  it('is created once', () => {
    const { data } = created();
    rooms.given().when({ type: 'CreateRoom', data }).then(created());
    rooms.given(created()).when({ type: 'CreateRoom', data }).thenNothing();
  });

  it('is changed by its owner alone, and does not exist for outsiders', () => {
    rooms.given(created()).when(add(OWNER)).then(added(ANALYST, 'analyst'));
    rooms.given(created()).when(add(OUTSIDER)).thenThrows('cleanroom_not_found');
    rooms.given().when(add(OWNER)).thenThrows('cleanroom_not_found');
    rooms
      .given(created(), added(ANALYST, 'analyst'))
      .when(add(ANALYST, CONTRIBUTOR))
      .thenThrows('cleanroom_role_missing');
    rooms.given(created()).when(register(OUTSIDER)).thenThrows('cleanroom_not_found');
  });

  it('has a participant in a role once, and a limit of them', () => {
    rooms
      .given(created(), added(ANALYST, 'analyst'))
      .when(add(OWNER))
      .thenThrows('cleanroom_participant_exists');
    const full = Array.from({ length: PARTICIPANTS_MAX }, (_, n) => added(`${n + 100}`, 'analyst'));
    rooms
      .given(created(), ...full)
      .when(add(OWNER))
      .thenThrows('cleanroom_full');
  });

  it('withdraws the rows of a contributor that it removes', () => {
    const data = { cleanroomId: ROOM_ID, number: 1, removedAt: AT };
    rooms
      .given(...readyRoom())
      .when(remove(CONTRIBUTOR, 'contributor'))
      .then(
        withdrawn,
        ParticipantRemoved.of({ ...data, accountId: CONTRIBUTOR, role: 'contributor' }),
      );
    rooms
      .given(...readyRoom())
      .when(remove(ANALYST, 'analyst'))
      .then(ParticipantRemoved.of({ ...data, accountId: ANALYST, role: 'analyst' }));
    rooms
      .given(...readyRoom())
      .when(remove(OUTSIDER, 'analyst'))
      .thenThrows('cleanroom_participant_unknown');
  });

  it('keeps its schema while it has rows', () => {
    rooms.given(created()).when(register()).then(registered());
    rooms.given(created(), registered()).when(register()).then(registered(COLUMNS, 2));
    rooms
      .given(...readyRoom())
      .when(register())
      .thenThrows('cleanroom_schema_in_use');
    rooms
      .given(...readyRoom(), withdrawn)
      .when(register())
      .then(registered(COLUMNS, 2));
  });
});

describe('a contribution', () => {
  it('is of a contributor, in the schema of the room', () => {
    const before = [created(), added(CONTRIBUTOR, 'contributor'), registered()];
    rooms
      .given(...before)
      .when(accept(1))
      .then(contributed());
    rooms
      .given(...before)
      .when(accept(1, { accountId: OUTSIDER }))
      .thenThrows('cleanroom_not_found');
    rooms
      .given(...before)
      .when(accept(1, { accountId: OWNER }))
      .thenThrows('cleanroom_role_missing');
    rooms
      .given(...before)
      .when(accept(1, { schemaVersion: 2 }))
      .thenThrows('cleanroom_schema_superseded');
  });

  it('is accepted once, and never with other rows', () => {
    rooms
      .given(...readyRoom())
      .when(accept(1))
      .thenNothing();
    rooms
      .given(...readyRoom())
      .when(accept(1, { blob: HASH }))
      .thenThrows('cleanroom_contribution_exists');
  });

  it('does not come back once it is withdrawn', () => {
    rooms
      .given(...readyRoom(), withdrawn)
      .when(accept(1))
      .thenThrows('cleanroom_contribution_exists');
    const all = Array.from({ length: WITHDRAWALS_MAX }, (_, at) => withdrawnOf(at + 2));
    rooms
      .given(...readyRoom(), ...all)
      .when(accept(1, { contributionId: ROOM_ID }))
      .thenThrows('cleanroom_full');
  });

  it('is rejected above the rows and the contributions of a room', () => {
    rooms
      .given(...readyRoom())
      .when(accept(2, { rows: ROWS_MAX - 9 }))
      .thenThrows('cleanroom_full');
    rooms
      .given(...readyRoom())
      .when(accept(2, { rows: ROWS_MAX - 10 }))
      .then(contributed(2, { rows: ROWS_MAX - 10 }));
    const full = Array.from({ length: CONTRIBUTIONS_MAX - 1 }, (_, n) => contributed(n + 2));
    rooms
      .given(...readyRoom(), ...full)
      .when(accept(CONTRIBUTIONS_MAX + 1))
      .thenThrows('cleanroom_full');
  });

  it('is withdrawn by its contributor alone', () => {
    rooms
      .given(...readyRoom())
      .when(withdraw(CONTRIBUTOR))
      .then(withdrawn);
    for (const by of [OWNER, ANALYST]) {
      rooms
        .given(...readyRoom())
        .when(withdraw(by))
        .thenThrows('cleanroom_contribution_not_found');
    }
    rooms
      .given(...readyRoom())
      .when(withdraw(OUTSIDER))
      .thenThrows('cleanroom_not_found');
    rooms
      .given(...readyRoom(), withdrawn)
      .when(withdraw(CONTRIBUTOR))
      .thenThrows('cleanroom_contribution_not_found');
  });
});

describe('the privacy budget', () => {
  const other = (index: number, cost: string) => ({
    ...{ queryHash: String(index).padStart(64, '0'), cost },
  });

  it('is reserved by an analyst, once for a request', () => {
    rooms
      .given(...readyRoom())
      .when(reserve(1))
      .then(reserved(1));
    rooms
      .given(...readyRoom(), reserved(1))
      .when(reserve(1))
      .thenNothing();
    rooms
      .given(...readyRoom())
      .when(reserve(1, { accountId: CONTRIBUTOR }))
      .thenThrows('cleanroom_role_missing');
    rooms
      .given(...readyRoom())
      .when(reserve(1, { accountId: OUTSIDER }))
      .thenThrows('cleanroom_not_found');
  });

  it('is spent to the last fraction, and not beyond', () => {
    rooms
      .given(...readyRoom(), ...answered(1, other(1, '11/3')))
      .when(reserve(2, other(2, '1/3')))
      .then(reserved(2, other(2, '1/3')));
    rooms
      .given(...readyRoom(), ...answered(1, other(1, '11/3')))
      .when(reserve(2, other(2, '333333333334/1000000000000')))
      .thenThrows('privacy_budget_exceeded');
  });

  it('counts open reservations, until they are released', () => {
    const open = reserved(1, other(1, '4'));
    const released = PrivacyReleased.of({
      ...{ cleanroomId: ROOM_ID, spendId: idOf(2, 1), accountId: ANALYST },
      ...{ cost: '4', reservedAt: AT, releasedAt: AT },
    });
    rooms
      .given(...readyRoom(), open)
      .when(reserve(2))
      .thenThrows('privacy_budget_exceeded');
    rooms
      .given(...readyRoom(), open)
      .when(release(1))
      .then(released);
    rooms
      .given(...readyRoom(), open, released)
      .when(reserve(2))
      .then(reserved(2));
    rooms
      .given(...readyRoom(), open, released)
      .when(release(1))
      .thenNothing();
  });

  it('ends a reservation once: spent or released', () => {
    rooms
      .given(...readyRoom(), reserved(1))
      .when(spend(1))
      .then(spent(1));
    rooms
      .given(...readyRoom(), reserved(1), spent(1))
      .when(spend(1))
      .thenNothing();
    rooms
      .given(...readyRoom(), reserved(1), spent(1))
      .when(release(1))
      .thenNothing();
    rooms
      .given(...readyRoom())
      .when(spend(1))
      .thenThrows('privacy_reservation_ended');
  });

  it('is not spent again for the same query of the same analyst', () => {
    rooms
      .given(...readyRoom(), reserved(1), spent(1))
      .when(reserve(2))
      .thenNothing();
    rooms
      .given(...readyRoom(), reserved(1))
      .when(reserve(2))
      .thenThrows('privacy_query_running');
    const analyst = added('10', 'analyst');
    rooms
      .given(...readyRoom(), analyst, reserved(1), spent(1))
      .when(reserve(2, { accountId: '10' }))
      .then(reserved(2, { accountId: '10' }));
  });

  it('is closed until enough accounts have rows', () => {
    rooms
      .given(...readyRoom({ contributorsMin: 2 }))
      .when(reserve(1))
      .thenThrows('cleanroom_contributors_missing');
    rooms
      .given(...readyRoom(), withdrawn)
      .when(reserve(1))
      .thenThrows('cleanroom_contributors_missing');
  });

  it('has a limit of answers', () => {
    const tiny = Array.from({ length: SPENDS_MAX }, (_, n) => answered(n, other(n, '1/1000000')));
    rooms
      .given(...readyRoom(), ...tiny.flat())
      .when(reserve(SPENDS_MAX))
      .thenThrows('cleanroom_full');
  });
});
