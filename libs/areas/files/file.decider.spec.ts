import { describe, it } from '@jest/globals';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { fileDecider } from './file.decider.js';
import {
  ACCOUNT,
  create,
  created,
  createdForEver,
  deleteBy,
  deleted,
  expireAt,
  expired,
  EXPIRES_AT,
} from './file.fixture.js';

const file = deciderSpecOf(fileDecider);

describe('a file', () => {
  it('is created once', () => {
    file.given().when(create).then(created);
    file.given(created).when(create).thenNothing();
  });

  it('is not created again after it was deleted', () => {
    file.given(created, deleted).when(create).thenNothing();
  });

  it('is deleted by its account or by an Admin', () => {
    file.given(created).when(deleteBy(ACCOUNT)).then(deleted);
    file.given(created).when(deleteBy(null)).then(deleted);
  });

  it('is not found by another account', () => {
    file.given(created).when(deleteBy('8')).thenThrows('file_not_found');
  });

  it('is not found before it is created or after it is deleted', () => {
    file.given().when(deleteBy(ACCOUNT)).thenThrows('file_not_found');
    file.given(created, deleted).when(deleteBy(ACCOUNT)).thenThrows('file_not_found');
    file.given(created, deleted).when(deleteBy(null)).thenThrows('file_not_found');
  });

  it('expires when it is due, and not before', () => {
    file.given(created).when(expireAt('2026-03-31T08:59:59.999Z')).thenNothing();
    file.given(created).when(expireAt(EXPIRES_AT)).then(expired);
  });

  it('does not expire without a time, before its creation, or once it is deleted', () => {
    file.given(createdForEver).when(expireAt('2099-01-01T00:00:00.000Z')).thenNothing();
    file.given().when(expireAt(EXPIRES_AT)).thenNothing();
    file.given(created, deleted).when(expireAt(EXPIRES_AT)).thenNothing();
  });
});
