import { HoldExpired, HoldReleased } from '#events/billing/account.events.js';
import {
  PrivacyReleased,
  PrivacyReserved,
  PrivacySpent,
} from '#events/cleanrooms/cleanroom.events.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

interface OnSpend<Type extends string> {
  readonly type: Type;
  readonly data: { readonly cleanroomId: string; readonly spendId: string };
}

export type ReservationCommand = OnSpend<'ReleasePrivacy'> | OnSpend<'RetainAnswer'>;

type Event = PrivacyReserved | PrivacySpent | PrivacyReleased | HoldReleased | HoldExpired;

/** The room of an open reservation. */
export interface ReservationState {
  readonly cleanroomId: string | null;
}

const EXPIRY = 'expiry';

const react = (
  { type, data }: Event,
  { cleanroomId }: ReservationState,
): readonly SagaAction<ReservationCommand>[] => {
  switch (type) {
    case 'PrivacyReserved': {
      const { cleanroomId: room, spendId, expiresAt: dueAt } = data;
      const command = { type: 'ReleasePrivacy', data: { cleanroomId: room, spendId } } as const;
      return [{ kind: 'schedule', timer: EXPIRY, dueAt, command }];
    }
    case 'PrivacySpent': {
      const { cleanroomId: room, spendId } = data;
      const command = { type: 'RetainAnswer', data: { cleanroomId: room, spendId } } as const;
      return [
        { kind: 'cancel', timer: EXPIRY },
        { kind: 'command', command },
      ];
    }
    case 'PrivacyReleased':
      return [{ kind: 'cancel', timer: EXPIRY }];
    case 'HoldReleased':
    case 'HoldExpired': {
      if (cleanroomId === null) return [];
      const command = {
        type: 'ReleasePrivacy',
        data: { cleanroomId, spendId: data.holdId },
      } as const;
      return [{ kind: 'command', command }];
    }
  }
};

/**
 * The hold of a query ends its reservation: a process that was killed between both leaves neither
 * money nor privacy behind. The timer ends a reservation that was made after its hold had ended.
 */
export const privacyReservationSaga: Saga<Event, ReservationState, ReservationCommand> = {
  name: 'privacy-reservation',
  on: { PrivacyReserved, PrivacySpent, PrivacyReleased, HoldReleased, HoldExpired },
  key: ({ data }) => ('spendId' in data ? data.spendId : data.holdId),
  initialState: { cleanroomId: null },
  evolve: (state, { type, data }) => {
    if (type === 'PrivacyReserved') return { cleanroomId: data.cleanroomId };
    return state.cleanroomId !== null && (type === 'HoldReleased' || type === 'HoldExpired')
      ? state
      : null;
  },
  react,
};
