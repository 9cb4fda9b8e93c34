import { describe, it } from '@jest/globals';
import { LiveSessionRenewed } from '#events/live/live.events.js';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { AT, ended, LINES, OF, opened, SESSION } from './session.fixture.js';
import { sessionLifeSaga } from './session-life.saga.js';

const saga = sagaSpecOf(sessionLifeSaga);
const data = { sessionId: SESSION };
const lapse = (dueAt: string) =>
  ({
    kind: 'schedule',
    timer: 'lapse',
    dueAt,
    command: { type: 'LapseSession', data },
  }) as const;
const renewed = LiveSessionRenewed.of({
  ...OF,
  ...{ lines: LINES, heldUntil: '2026-11-26T05:02:00.000Z', frames: 1, renewedAt: AT },
});

describe('the life of a stream session', () => {
  it('ends a minute after the last minute that was held', () => {
    saga.given().when(opened).then(lapse('2026-11-26T05:02:00.000Z'));
    saga.given(opened).when(renewed).then(lapse('2026-11-26T05:03:00.000Z'));
  });

  it('is charged at its end', () => {
    const end = ended('hang_up', 1, 9, AT);
    saga
      .given(opened)
      .when(end)
      .then(
        { kind: 'cancel', timer: 'lapse' },
        { kind: 'command', command: { type: 'ChargeSession', data } },
      );
    saga.given(opened).when(end).thenEnds();
  });
});
