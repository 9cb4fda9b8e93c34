import { describe, it } from '@jest/globals';
import { LiveClientLeft, LiveSessionRenewed } from '#events/live/live.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { liveDecider } from './session.decider.js';
import { AT, connected, ended, EXPIRY, LINES, MINUTE, OF, opened } from './session.fixture.js';

const sessions = deciderSpecOf(liveDecider);
const LATER = '2026-11-26T05:01:16.000Z';
const NEXT = '2026-11-26T05:02:00.000Z';

const connect = (host = 'one', connectedAt = AT) =>
  ({ type: 'ConnectClient', data: { host, connectedAt } }) as const;
const renew = (host = 'one', heldUntil = NEXT) =>
  ({
    type: 'RenewSession',
    data: { host, lines: LINES, heldUntil, frames: 180, renewedAt: LATER },
  }) as const;
const end = (reason: 'hang_up' | 'silence' | 'funds' | 'expired', frames: number, host = 'one') =>
  ({ type: 'EndSession', data: { host, reason, frames, endedAt: LATER } }) as const;
const lapse = (now: string) => ({ type: 'LapseSession', data: { now, graceMs: 60_000 } }) as const;
const renewed = LiveSessionRenewed.of({
  ...OF,
  ...{ lines: LINES, heldUntil: NEXT, frames: 180, renewedAt: LATER },
});

describe('a stream session', () => {
  it('opens once', () => {
    const open = { type: 'OpenSession', data: opened.data } as const;
    sessions.given().when(open).then(opened);
    sessions.given(opened).when(open).thenNothing();
  });

  it('takes a client until its token expires', () => {
    sessions.given(opened).when(connect()).then(connected());
    sessions.given().when(connect()).thenThrows('live_session_not_found');
    sessions.given(opened).when(connect('one', EXPIRY)).thenThrows('live_session_ended');
    sessions
      .given(opened, ended('silence', 0, 0, LATER))
      .when(connect())
      .thenThrows('live_session_ended');
  });

  it('belongs to the process to which its client connected last', () => {
    const moved = [opened, connected('two')];
    const leave = (host: string) =>
      ({ type: 'LeaveSession', data: { host, frames: 31, leftAt: LATER } }) as const;
    sessions
      .given(...moved)
      .when(renew())
      .thenThrows('live_session_ended');
    sessions
      .given(...moved)
      .when(end('silence', 9))
      .thenNothing();
    sessions
      .given(...moved)
      .when(leave('one'))
      .thenNothing();
    const left = LiveClientLeft.of({ ...OF, frames: 31, leftAt: LATER });
    sessions
      .given(...moved)
      .when(leave('two'))
      .then(left);
  });

  it('is renewed minute by minute', () => {
    sessions.given(opened).when(renew()).then(renewed);
    sessions.given(opened, renewed).when(renew()).thenNothing();
  });

  it('ends with the minutes that have begun, and free where it was not used', () => {
    sessions
      .given(opened)
      .when(end('silence', 0))
      .then(ended('silence', 0, 0, LATER));
    sessions
      .given(opened)
      .when(end('silence', 1))
      .then(ended('silence', 2, 1, LATER));
    const used = [opened, connected()];
    sessions
      .given(...used)
      .when(end('hang_up', 0))
      .then(ended('hang_up', 2, 0, LATER));
    sessions
      .given(...used, ended('hang_up', 2, 0, LATER))
      .when(end('funds', 9))
      .thenNothing();
  });

  it('lapses at the end of its last minute when no process renews it', () => {
    const due = NEXT;
    sessions.given(opened, connected()).when(lapse('2026-11-26T05:01:59.999Z')).thenNothing();
    sessions
      .given(opened, connected())
      .when(lapse(due))
      .then(ended('lapsed', 1, 0, MINUTE));
    sessions.given(opened, renewed).when(lapse(due)).thenNothing();
    sessions
      .given(opened, ended('funds', 1, 9, MINUTE))
      .when(lapse(due))
      .thenNothing();
  });
});
