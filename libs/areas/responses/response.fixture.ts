import {
  ResponseDeleted,
  ResponseQueued,
  ResponseStarted,
  ResponseStored,
} from '#events/responses/response.events.js';
import { UserId } from '#events/vocabulary.js';
import { type ResponseCommand } from './response.decider.js';

export const RESPONSE = 'resp_0123456789abcdef0123456789abcdef';
export const ACCOUNT = '7';
export const EXPIRES_AT = '2026-03-31T09:00:00.000Z';

const named = {
  responseId: RESPONSE,
  accountId: ACCOUNT,
  userId: UserId.parse(7),
  blob: 'ab'.repeat(32),
  createdAt: '2026-03-01T09:00:00.000Z',
};

const data: ResponseStored['data'] = {
  ...named,
  previousResponseId: null,
  depth: 1,
  bytes: 20,
  conversationBytes: 20,
  expiresAt: EXPIRES_AT,
};
const DELETED_AT = '2026-03-02T09:00:00.000Z';

export const stored = ResponseStored.of(data);

const queuedData: ResponseQueued['data'] = {
  ...named,
  blob: 'cd'.repeat(32),
  previousResponseId: null,
  depth: 1,
  bytesBefore: 0,
};
const startedData = {
  responseId: RESPONSE,
  accountId: ACCOUNT,
  startedAt: '2026-03-01T09:00:01.000Z',
};
export const queued = ResponseQueued.of(queuedData);
export const started = ResponseStarted.of(startedData);
export const queue: ResponseCommand = { type: 'QueueResponse', data: queuedData };
export const start: ResponseCommand = { type: 'StartResponse', data: startedData };
export const deleted = ResponseDeleted.of({
  ...named,
  reason: 'requested',
  deletedAt: DELETED_AT,
});
export const expired = ResponseDeleted.of({ ...named, reason: 'expired', deletedAt: EXPIRES_AT });

export const store: ResponseCommand = { type: 'StoreResponse', data };
export const deleteBy = (accountId: string): ResponseCommand => ({
  type: 'DeleteResponse',
  data: { responseId: RESPONSE, accountId, deletedAt: DELETED_AT },
});
export const expireAt = (expiredAt: string): ResponseCommand => ({
  type: 'ExpireResponse',
  data: { responseId: RESPONSE, expiredAt },
});
