import { describe, expect, it } from '@jest/globals';
import { CHAIN_START, EventHasher, type StoredFields } from './event.chain.js';

const EVENT: StoredFields = {
  position: 7,
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
    '0100000000000000070000000000000002000001a2011b4f950000000b6163636f756e742d61' +
    '64610000000e46756e64734465706f73697465640000002436663165396133632d356230642d' +
    '346136332d396435332d396135616230613165303031000000177b2274657874223a226772c3' +
    'bcc39f6520f09faaa2227d0000000d7b2276657273696f6e223a317d',
  leaf: 'f0f67d4223e23e51e5e4339b3d053a39a97e8590ed1ac632cb87fd0703551e5f',
  chain: 'f655bc1eaedf9dab6e3524781652c29f6344f1bb6581109dbf948900d8b717ea',
  secondLink: '278f2e2646b6de9e1d36802b35e86f121bce2e2df0700f6ac4c8e79b696ef399',
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
    const { position, revision, recordedAtMs, stream, type, id, data, metadata } = EVENT;
    const bytes = (text: string | Uint8Array) => Buffer.from(text as string);
    const raw = {
      position: BigInt(position),
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
    { position: 8 },
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
    const position = 2 ** 40 + 5;
    const asNumber = hasher.encode({ ...EVENT, position });
    expect(asNumber.readBigUInt64BE(1)).toBe(BigInt(position));
  });
});
