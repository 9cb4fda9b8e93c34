import {
  ResponseDeleted,
  type ResponseEvent,
  ResponseQueued,
  ResponseStarted,
  ResponseStored,
} from '#events/responses/response.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { notFound, reject } from './responses.errors.js';

interface Asked {
  readonly responseId: string;
  /** The account that asks. */
  readonly accountId: string;
}

export type ResponseCommand =
  | { readonly type: 'QueueResponse'; readonly data: ResponseQueued['data'] }
  | { readonly type: 'StartResponse'; readonly data: ResponseStarted['data'] }
  | { readonly type: 'StoreResponse'; readonly data: ResponseStored['data'] }
  | { readonly type: 'DeleteResponse'; readonly data: Asked & { readonly deletedAt: string } }
  | {
      readonly type: 'ExpireResponse';
      readonly data: { readonly responseId: string; readonly expiredAt: string };
    };

/** `queued`: the input of a response in the background; null for another response. */
export type ResponseState =
  | { readonly status: 'absent' }
  | { readonly status: 'queued' | 'in_progress'; readonly queued: ResponseQueued['data'] }
  | {
      readonly status: 'present' | 'deleted';
      readonly response: ResponseStored['data'];
      readonly queued: ResponseQueued['data'] | null;
    };

const deleted = (
  { responseId, accountId, userId, blob, createdAt }: ResponseStored['data'],
  reason: ResponseDeleted['data']['reason'],
  deletedAt: string,
): ResponseDeleted =>
  ResponseDeleted.of({ responseId, accountId, userId, blob, createdAt, reason, deletedAt });

const decideDeletion = (
  { responseId, accountId, deletedAt }: Asked & { readonly deletedAt: string },
  state: ResponseState,
): readonly ResponseEvent[] => {
  switch (state.status) {
    case 'absent':
    case 'deleted':
      return notFound(responseId);
    case 'queued':
    case 'in_progress':
      if (state.queued.accountId !== accountId) return notFound(responseId);
      return reject('response_unfinished', `the response is ${state.status}; cancel it first`);
    case 'present':
      if (state.response.accountId !== accountId) return notFound(responseId);
      return [deleted(state.response, 'requested', deletedAt)];
  }
};

const decide = (
  { type, data }: ResponseCommand,
  state: ResponseState,
): readonly ResponseEvent[] => {
  switch (type) {
    case 'QueueResponse':
      return state.status === 'absent' ? [ResponseQueued.of(data)] : [];
    case 'StartResponse':
      return state.status === 'queued' ? [ResponseStarted.of(data)] : [];
    case 'StoreResponse':
      return 'response' in state ? [] : [ResponseStored.of(data)];
    case 'DeleteResponse':
      return decideDeletion(data, state);
    case 'ExpireResponse': {
      const isDue = state.status === 'present' && data.expiredAt >= state.response.expiresAt;
      return isDue ? [deleted(state.response, 'expired', data.expiredAt)] : [];
    }
  }
};

const evolve = (state: ResponseState, { type, data }: ResponseEvent): ResponseState => {
  switch (type) {
    case 'ResponseQueued':
      return { status: 'queued', queued: data };
    case 'ResponseStarted':
      return state.status === 'queued' ? { ...state, status: 'in_progress' } : state;
    case 'ResponseStored':
      return {
        status: 'present',
        response: data,
        queued: state.status === 'absent' ? null : state.queued,
      };
    case 'ResponseDeleted':
      return state.status === 'present' ? { ...state, status: 'deleted' } : state;
  }
};

export const responseDecider: Decider<ResponseCommand, ResponseState, ResponseEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};
