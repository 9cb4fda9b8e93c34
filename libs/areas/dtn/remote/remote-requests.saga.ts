import {
  type RemoteEvent,
  RemoteRequestExpired,
  RemoteRequestPlaced,
  RemoteRequestSettled,
} from '#events/dtn/remote.events.js';
import { type Saga } from '#platform/kernel/saga.js';

interface OnRequest<Type extends string> {
  readonly type: Type;
  readonly data: { readonly requestId: string };
}

export type RemoteSagaCommand = OnRequest<'ExpireRemoteRequest'> | OnRequest<'SettleRemoteRequest'>;

type Followed = Exclude<RemoteEvent, { readonly type: 'LateReceiptRecorded' }>;

const EXPIRY = 'expiry';

/** Charges a request with its receipt, or frees it with its expiry. */
export const remoteRequestsSaga: Saga<Followed, object, RemoteSagaCommand> = {
  name: 'dtn-remote-requests',
  on: { RemoteRequestPlaced, RemoteRequestSettled, RemoteRequestExpired },
  key: ({ data }) => data.requestId,
  initialState: {},
  evolve: (state, { type }) => (type === 'RemoteRequestPlaced' ? state : null),
  react: ({ type, data }) => {
    const on = { requestId: data.requestId };
    if (type === 'RemoteRequestPlaced') {
      const command = { type: 'ExpireRemoteRequest', data: on } as const;
      return [{ kind: 'schedule', timer: EXPIRY, dueAt: data.expiresAt, command }];
    }
    return [
      { kind: 'cancel', timer: EXPIRY },
      { kind: 'command', command: { type: 'SettleRemoteRequest', data: on } },
    ];
  },
};
