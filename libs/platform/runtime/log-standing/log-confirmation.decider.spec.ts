import { describe, it } from '@jest/globals';
import { LogConfirmed } from '#events/platform/log.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type ConfirmLog, logConfirmationDecider } from './log-confirmation.decider.js';

const [ONE, TWO] = ['7', '9'].map((position) => ({ reader: 'accounts', position, event: null }));

const confirmation = (...lost: readonly (typeof ONE)[]): LogConfirmed['data'] => ({
  lost: lost.flatMap((place) => place ?? []),
  reason: 'restored',
  confirmedAt: '2026-01-01T00:00:00.000Z',
});
const confirm = (...lost: readonly (typeof ONE)[]): ConfirmLog => ({
  type: 'ConfirmLog',
  data: confirmation(...lost),
});

describe('the confirmation of a log', () => {
  const log = deciderSpecOf(logConfirmationDecider);

  it('names the lost positions', () => {
    log
      .given()
      .when(confirm(ONE))
      .then(LogConfirmed.of(confirmation(ONE)));
  });

  it('is an event each time, also of the same places and of none', () => {
    for (const places of [[TWO], []]) {
      log
        .given(LogConfirmed.of(confirmation(ONE, TWO)))
        .when(confirm(...places))
        .then(LogConfirmed.of(confirmation(...places)));
    }
  });

  it('is another one for a place that was lost since', () => {
    log
      .given(LogConfirmed.of(confirmation(ONE)))
      .when(confirm(ONE, TWO))
      .then(LogConfirmed.of(confirmation(ONE, TWO)));
  });
});
