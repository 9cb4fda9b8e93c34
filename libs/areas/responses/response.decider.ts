import {
  ResponseDeleted,
  type ResponseEvent,
  ResponseStored,
} from '#events/responses/response.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { notFound } from './responses.errors.js';

export type ResponseCommand =
  | { readonly type: 'StoreResponse'; readonly data: ResponseStored['data'] }
  | {
      readonly type: 'DeleteResponse';
      readonly data: {
        readonly responseId: string;
        /** The account that asks. */
        readonly accountId: string;
        readonly deletedAt: string;
      };
    }
  | {
      readonly type: 'ExpireResponse';
      readonly data: { readonly responseId: string; readonly expiredAt: string };
    };

export type ResponseState =
  | { readonly status: 'absent' }
  | { readonly status: 'present' | 'deleted'; readonly response: ResponseStored['data'] };

const deleted = (
  { responseId, accountId, userId, blob, createdAt }: ResponseStored['data'],
  reason: ResponseDeleted['data']['reason'],
  deletedAt: string,
): ResponseDeleted =>
  ResponseDeleted.of({ responseId, accountId, userId, blob, createdAt, reason, deletedAt });

const decide = (
  { type, data }: ResponseCommand,
  state: ResponseState,
): readonly ResponseEvent[] => {
  switch (type) {
    case 'StoreResponse':
      return state.status === 'absent' ? [ResponseStored.of(data)] : [];
    case 'DeleteResponse':
      if (state.status !== 'present' || state.response.accountId !== data.accountId) {
        return notFound(data.responseId);
      }
      return [deleted(state.response, 'requested', data.deletedAt)];
    case 'ExpireResponse': {
      const isDue = state.status === 'present' && data.expiredAt >= state.response.expiresAt;
      return isDue ? [deleted(state.response, 'expired', data.expiredAt)] : [];
    }
  }
};

const evolve = (state: ResponseState, { type, data }: ResponseEvent): ResponseState => {
  switch (type) {
    case 'ResponseStored':
      return { status: 'present', response: data };
    case 'ResponseDeleted':
      return state.status === 'absent' ? state : { ...state, status: 'deleted' };
  }
};

export const responseDecider: Decider<ResponseCommand, ResponseState, ResponseEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};
