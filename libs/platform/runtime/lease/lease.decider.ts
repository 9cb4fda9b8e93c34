import {
  type LeaseEvent,
  type LeaseName,
  LeaseReleased,
  LeaseTaken,
} from '#events/platform/lease.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';

export type LeaseCommand =
  | {
      readonly type: 'TakeLease';
      readonly data: {
        readonly lease: LeaseName;
        readonly holder: string;
        /** The token that was found released, or without renewals for long enough. */
        readonly over: number;
        /** ISO 8601 UTC with milliseconds. */
        readonly takenAt: string;
      };
    }
  | { readonly type: 'ReleaseLease'; readonly data: LeaseReleased['data'] };

export type LeaseErrorCode = 'lease_taken';

/** Token 0 belongs to no holder. */
export interface LeaseState {
  readonly token: number;
  readonly holder: string | null;
  readonly released: boolean;
}

/**
 * Of two processes that found the same token ended, one wins: for the other the token is no longer
 * the last one. Silence of a holder is not decided here, since clocks of two machines do not agree.
 */
const decide = (command: LeaseCommand, state: LeaseState): readonly LeaseEvent[] => {
  switch (command.type) {
    case 'TakeLease': {
      const { over, ...data } = command.data;
      if (over !== state.token) throw new DomainError<LeaseErrorCode>('lease_taken');
      const because = state.released ? 'released' : 'silent';
      const from = state.holder === null ? null : ({ holder: state.holder, because } as const);
      return [LeaseTaken.of({ ...data, token: state.token + 1, from })];
    }
    case 'ReleaseLease': {
      const { data } = command;
      const holds = data.token === state.token && data.holder === state.holder && !state.released;
      return holds ? [LeaseReleased.of(data)] : [];
    }
  }
};

const evolve = (state: LeaseState, { type, data }: LeaseEvent): LeaseState => {
  switch (type) {
    case 'LeaseTaken':
      return { token: data.token, holder: data.holder, released: false };
    case 'LeaseReleased':
      return { ...state, released: true };
  }
};

export const leaseDecider: Decider<LeaseCommand, LeaseState, LeaseEvent> = {
  initialState: { token: 0, holder: null, released: true },
  decide,
  evolve,
};
