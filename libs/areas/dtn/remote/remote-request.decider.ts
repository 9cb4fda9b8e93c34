import {
  LateReceiptRecorded,
  type RemoteEvent,
  RemoteRequestExpired,
  RemoteRequestPlaced,
  RemoteRequestSettled,
} from '#events/dtn/remote.events.js';
import { type Decider } from '#platform/kernel/decider.js';

type ReceiptFacts = Omit<
  RemoteRequestSettled['data'],
  'requestId' | 'accountId' | 'placedAt' | 'settledAt'
>;

export type RemoteCommand =
  | { readonly type: 'PlaceRequest'; readonly data: RemoteRequestPlaced['data'] }
  | {
      readonly type: 'RecordReceipt';
      readonly data: ReceiptFacts & { readonly receivedAt: string };
    }
  /** `isUnsent`: no bundle carries it. */
  | {
      readonly type: 'ExpireRequest';
      readonly data: { readonly expiredAt: string; readonly isUnsent: boolean };
    };

export interface RemoteState {
  readonly placed: RemoteRequestPlaced['data'] | null;
  readonly settled: RemoteRequestSettled['data'] | null;
  readonly expiredAt: string | null;
  readonly late: LateReceiptRecorded['data'] | null;
}

const decide = ({ type, data }: RemoteCommand, state: RemoteState): RemoteEvent[] => {
  if (type === 'PlaceRequest') return state.placed ? [] : [RemoteRequestPlaced.of(data)];
  const { placed, settled, expiredAt } = state;
  if (!placed || settled) return [];
  const { requestId, accountId, placedAt, expiresAt } = placed;
  const ids = { requestId, accountId, placedAt };
  switch (type) {
    case 'ExpireRequest': {
      const isOver = expiresAt <= data.expiredAt || data.isUnsent;
      return expiredAt === null && isOver
        ? [RemoteRequestExpired.of({ ...ids, expiredAt: data.expiredAt })]
        : [];
    }
    case 'RecordReceipt': {
      const { receivedAt, ...receipt } = data;
      if (expiredAt === null && receivedAt < expiresAt) {
        return [RemoteRequestSettled.of({ ...ids, ...receipt, settledAt: receivedAt })];
      }
      const late = LateReceiptRecorded.of({ ...ids, ...receipt, recordedAt: receivedAt });
      if (expiredAt !== null) return state.late ? [] : [late];
      return [RemoteRequestExpired.of({ ...ids, expiredAt: receivedAt }), late];
    }
  }
};

const evolve = (state: RemoteState, { type, data }: RemoteEvent): RemoteState => {
  switch (type) {
    case 'RemoteRequestPlaced':
      return { ...state, placed: data };
    case 'RemoteRequestSettled':
      return { ...state, settled: data };
    case 'RemoteRequestExpired':
      return { ...state, expiredAt: data.expiredAt };
    case 'LateReceiptRecorded':
      return { ...state, late: data };
  }
};

/** A receipt before the expiry settles the request, once; a later one is recorded, and free. */
export const remoteRequestDecider: Decider<RemoteCommand, RemoteState, RemoteEvent> = {
  initialState: { placed: null, settled: null, expiredAt: null, late: null },
  decide,
  evolve,
};
