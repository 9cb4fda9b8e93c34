import { describe, expect, it } from '@jest/globals';
import { CHAIN_START, EventHasher, type StoredFields } from './event.chain.js';

const EVENT: StoredFields = {
  revision: 2,
  recordedAtMs: 1_795_314_896_789,
  stream: 'account-ada',
  type: 'FundsDeposited',
  id: '6f1e9a3c-5b0d-4a63-9d53-9a5ab0a1e001',
  data: '{"text":"grüße 🪢"}',
  metadata: '{"version":1}',
};

/** Computed with Python's `struct` and `hashlib`. */
const KNOWN = {
  encoding:
    '010000000000000002000001a2011b4f950000000b6163636f756e742d6164610000000e46756e64' +
    '734465706f73697465640000002436663165396133632d356230642d346136332d396435332d3961' +
    '35616230613165303031000000177b2274657874223a226772c3bcc39f6520f09faaa2227d000000' +
    '0d7b2276657273696f6e223a317d',
  leaf: 'f5b50e2c6a2ca72ac06eb1eddabf057d7794f498ddbd46d4c10b1580d096f2b6',
  chain: 'b868f83a2610c2bddcb6623ac3c25cdaf8d46ca80f021573cd97837febf1a903',
  secondLink: '7650cda40dd195b07369c4a20ec5f1018bd7a31b88de849c8c8187a0f3885368',
};

describe('the chain of events', () => {
  const hasher = new EventHasher();
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

  it('has the encoding and the hashes that are known', () => {
    expect(hex(hasher.encode(EVENT))).toBe(KNOWN.encoding);
    expect(hex(hasher.leafHash(EVENT))).toBe(KNOWN.leaf);
    const first = hasher.chainHash(CHAIN_START, EVENT);
    expect(hex(first)).toBe(KNOWN.chain);
    expect(hex(hasher.chainHash(first, EVENT))).toBe(KNOWN.secondLink);
  });

  it('takes bigints and bytes for the same event', () => {
    const { revision, recordedAtMs, stream, type, id, data, metadata } = EVENT;
    const bytes = (text: string | Uint8Array) => Buffer.from(text as string);
    const raw = {
      revision: BigInt(revision),
      recordedAtMs: BigInt(recordedAtMs),
      stream: bytes(stream),
      type: bytes(type),
      id: bytes(id),
      data: bytes(data),
      metadata: bytes(metadata),
    };
    expect(hex(hasher.leafHash(raw))).toBe(KNOWN.leaf);
  });

  it.each<Partial<StoredFields>>([
    { revision: 3 },
    { recordedAtMs: 1_795_314_896_790 },
    { stream: 'account-adb' },
    { type: 'FundsDepositee' },
    { id: '6f1e9a3c-5b0d-4a63-9d53-9a5ab0a1e000' },
    { data: '{"text":"grüße 🪡"}' },
    { metadata: '{"version":2}' },
    // The same bytes with another border between two fields.
    { stream: 'account-adaF', type: 'undsDeposited' },
  ])('changes with %o', (change) => {
    expect(hex(hasher.leafHash({ ...EVENT, ...change }))).not.toBe(KNOWN.leaf);
  });

  it('hashes an event that is larger than its buffer', () => {
    const data = JSON.stringify({ text: 'é'.repeat(100_000) });
    const large = hasher.encode({ ...EVENT, data });
    expect(large.includes(data)).toBe(true);
    expect(hex(hasher.leafHash(EVENT))).toBe(KNOWN.leaf);
  });

  it('encodes integers above 32 bits', () => {
    const revision = 2 ** 40 + 5;
    const asNumber = hasher.encode({ ...EVENT, revision });
    expect(asNumber.readBigUInt64BE(1)).toBe(BigInt(revision));
  });
});
