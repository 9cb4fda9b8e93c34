import { describe, expect, it } from '@jest/globals';
import { BundleId } from '#events/dtn/dtn.events.js';
import {
  LateReceiptRecorded,
  type RemoteEvent,
  RemoteRequestExpired,
  RemoteRequestPlaced,
  RemoteRequestSettled,
} from '#events/dtn/remote.events.js';
import { UserId } from '#events/vocabulary.js';
import {
  type RemoteRequestRecord,
  remoteRequests,
  remoteRequestsPrefix,
} from './remote-requests.projection.js';

const NOW = '2026-11-25T19:00:00.000Z';
const LATER = '2026-11-26T19:00:00.000Z';
const ID = '0d0c7f10-2b3a-5c4d-9e8f-1a2b3c4d5e6f';
const ofRequest = { requestId: ID, accountId: '7', placedAt: NOW };
const receipt = {
  status: 'completed',
  ...{ promptTokens: 31, completionTokens: 44 },
  ...{ receiptSha256: 'ab'.repeat(32), answer: 'cd'.repeat(32) },
} as const;

const placed = RemoteRequestPlaced.of({
  ...ofRequest,
  ...{ userId: UserId.parse(7), node: 'dtn://sat/', bundleId: BundleId.parse(ID) },
  ...{ nonce: '5f'.repeat(16), promptTokensMax: 140, completionTokensMax: 256 },
  expiresAt: LATER,
  hold: { holdId: ID, lines: [], rateCardVersion: 1, expiresAt: LATER },
});
const settled = RemoteRequestSettled.of({ ...ofRequest, ...receipt, settledAt: LATER });
const expired = RemoteRequestExpired.of({ ...ofRequest, expiredAt: LATER });
const late = LateReceiptRecorded.of({ ...ofRequest, ...receipt, recordedAt: LATER });

const after = (...events: readonly RemoteEvent[]): RemoteRequestRecord | null => {
  const [key = ''] = remoteRequests.keys(placed);
  let document = remoteRequests.initial(key);
  for (const event of events) {
    expect(remoteRequests.keys(event)).toEqual([key]);
    document = remoteRequests.project(event, document, key) ?? document;
  }
  return document.request;
};

describe('requests to other nodes', () => {
  it('are ordered within their account by the instant of the order', () => {
    expect(remoteRequests.keys(placed)).toEqual([`${remoteRequestsPrefix('7')}${NOW}/${ID}`]);
  });

  it('travel until a receipt settles them', () => {
    expect(after(placed)).toMatchObject({ status: 'travelling', used: null, settledAt: null });
    expect(after(placed, settled)).toMatchObject({
      status: 'completed',
      used: { promptTokens: 31, completionTokens: 44 },
      settledAt: LATER,
      hasLateReceipt: false,
    });
  });

  it('stay expired after a late receipt', () => {
    expect(after(placed, expired, late)).toMatchObject({
      status: 'expired',
      used: null,
      settledAt: null,
      hasLateReceipt: true,
    });
  });
});
