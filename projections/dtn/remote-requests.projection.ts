import {
  LateReceiptRecorded,
  type RemoteEvent,
  RemoteRequestExpired,
  RemoteRequestPlaced,
  RemoteRequestSettled,
} from '#events/dtn/remote.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface RemoteRequestRecord extends Pick<
  RemoteRequestPlaced['data'],
  'requestId' | 'node' | 'bundleId' | 'placedAt' | 'expiresAt'
> {
  /** Without a receipt a request travels. */
  readonly status: 'travelling' | 'completed' | 'failed' | 'expired';
  /** Of a receipt that came in time. */
  readonly used: { readonly promptTokens: number; readonly completionTokens: number } | null;
  readonly settledAt: string | null;
  /** Whether a receipt came after the expiry. */
  readonly hasLateReceipt: boolean;
}

/** Null before the first event. */
export interface RemoteRequestDocument {
  readonly request: RemoteRequestRecord | null;
}

export const remoteRequestsPrefix = (accountId: string): string => `${accountId}/`;

/** The keys of one account order by the instant of the order. */
const requestKey = ({ accountId, placedAt, requestId }: RemoteEvent['data']): string =>
  `${remoteRequestsPrefix(accountId)}${placedAt}/${requestId}`;

const placed = ({ data }: RemoteRequestPlaced): RemoteRequestRecord => {
  const { requestId, node, bundleId, placedAt, expiresAt } = data;
  return {
    ...{ requestId, node, bundleId, placedAt, expiresAt },
    ...{ status: 'travelling', used: null, settledAt: null, hasLateReceipt: false },
  };
};

const changed = (
  { type, data }: Exclude<RemoteEvent, RemoteRequestPlaced>,
  request: RemoteRequestRecord,
): RemoteRequestRecord => {
  switch (type) {
    case 'RemoteRequestSettled': {
      const { status, promptTokens, completionTokens, settledAt } = data;
      return { ...request, status, used: { promptTokens, completionTokens }, settledAt };
    }
    case 'RemoteRequestExpired':
      return { ...request, status: 'expired' };
    case 'LateReceiptRecorded':
      return { ...request, hasLateReceipt: true };
  }
};

/** Which requests has an account sent to other nodes? */
export const remoteRequests: Projection<RemoteEvent, RemoteRequestDocument> = {
  name: 'dtn-requests',
  version: 1,
  on: { RemoteRequestPlaced, RemoteRequestSettled, RemoteRequestExpired, LateReceiptRecorded },
  keys: ({ data }) => [requestKey(data)],
  initial: () => ({ request: null }),
  project: (event, { request }) => {
    if (event.type === 'RemoteRequestPlaced') return { request: placed(event) };
    return { request: request && changed(event, request) };
  },
};
