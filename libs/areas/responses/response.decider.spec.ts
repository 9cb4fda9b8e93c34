import { describe, it } from '@jest/globals';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { responseDecider } from './response.decider.js';
import {
  ACCOUNT,
  deleteBy,
  deleted,
  expireAt,
  expired,
  EXPIRES_AT,
  queue,
  queued,
  start,
  started,
  store,
  stored,
} from './response.fixture.js';

const response = deciderSpecOf(responseDecider);

describe('a response', () => {
  it('is stored once, and not again after it was deleted', () => {
    response.given().when(store).then(stored);
    response.given(stored).when(store).thenNothing();
    response.given(stored, deleted).when(store).thenNothing();
  });

  it('is deleted by its account only', () => {
    response.given(stored).when(deleteBy(ACCOUNT)).then(deleted);
    response.given(stored).when(deleteBy('8')).thenThrows('response_not_found');
  });

  it('is not found before it is stored, or after it is deleted', () => {
    response.given().when(deleteBy(ACCOUNT)).thenThrows('response_not_found');
    response.given(stored, deleted).when(deleteBy(ACCOUNT)).thenThrows('response_not_found');
  });

  it('in the background is queued, started and stored once', () => {
    response.given().when(queue).then(queued);
    response.given(queued).when(queue).thenNothing();
    response.given(queued).when(start).then(started);
    response.given(queued, started).when(start).thenNothing();
    response.given(queued, started).when(store).then(stored);
    response.given(queued).when(store).then(stored);
    response.given(queued, stored).when(start).thenNothing();
    response.given(queued, stored, deleted).when(queue).thenNothing();
    response.given().when(start).thenNothing();
  });

  it('is not deleted before it has ended', () => {
    for (const given of [[queued], [queued, started]]) {
      response
        .given(...given)
        .when(deleteBy(ACCOUNT))
        .thenThrows('response_unfinished');
      response
        .given(...given)
        .when(deleteBy('8'))
        .thenThrows('response_not_found');
      response
        .given(...given)
        .when(expireAt(EXPIRES_AT))
        .thenNothing();
    }
    response.given(queued, started, stored).when(deleteBy(ACCOUNT)).then(deleted);
  });

  it('expires when it is due, and not before or again', () => {
    response.given(stored).when(expireAt('2026-03-31T08:59:59.999Z')).thenNothing();
    response.given(stored).when(expireAt(EXPIRES_AT)).then(expired);
    response.given(stored, expired).when(expireAt(EXPIRES_AT)).thenNothing();
    response.given().when(expireAt(EXPIRES_AT)).thenNothing();
  });
});
