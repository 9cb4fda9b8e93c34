import { describe, expect, it } from '@jest/globals';
import { gather } from '#platform/blobs/blobs.fixture.js';
import { type BlobRange, type Blobs } from '#platform/blobs/blobs.port.js';
import { inOnePiece } from '#platform/blobs/pieces.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { type MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type PackageState } from './package.decider.js';
import { DOWNLOAD_UNTIL, ON_PACKAGE, ordered, ready, sealed } from './package.fixture.js';
import { PackageDownloads } from './package-downloads.js';
import { type PackageSettings } from './packages.settings.js';
import { type StoredPackages } from './stored-packages.js';

const REQUEST = '0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f';
const SETTINGS = { downloadMsMax: 60_000 } as PackageSettings;
const WHOLE = { start: 0, end: ready.data.bytes };
const STATE: PackageState = {
  order: ordered.data,
  sealed: sealed.data,
  ready: ready.data,
  isExpired: false,
};
const PRICES: MeterPrices = {
  inForce: () => ({
    rateCardVersion: 3,
    prices: new Map([['package_download_bytes', { unitPriceMicroUsd: '20', perUnits: 1_000 }]]),
  }),
};

/** A blob of zeroes in two pieces. */
const blobsThat = (onOpen: () => void): Blobs =>
  ({
    open: (_: unknown, { start, end = 0 }: BlobRange) => {
      onOpen();
      const content = Buffer.alloc(end - start);
      const half = Math.ceil(content.length / 2);
      return Promise.resolve({ bytes: content.length, content: inTwo(content, half) });
    },
  }) as unknown as Blobs;

async function* inTwo(content: Buffer, half: number): AsyncGenerator<Uint8Array> {
  yield* inOnePiece(content.subarray(0, half));
  yield* inOnePiece(content.subarray(half));
}

const downloadsOn = (
  paid: PaidRequests,
  clock: { readonly now: () => number },
  state = STATE,
  onOpen = (): void => undefined,
) => {
  const packages = {
    find: () => Promise.resolve(state),
    isExpired: ({ ready: done }: PackageState) =>
      done !== null && Date.parse(done.downloadUntil) <= clock.now(),
  } as unknown as StoredPackages;
  return new PackageDownloads(packages, blobsThat(onOpen), paid, PRICES, SETTINGS, clock);
};

const ledger = () => {
  const fake = new FakeLedger();
  return { fake, paid: new PaidRequests(fake, { settleMsMax: 60_000 }, { now: () => 1_000 }) };
};

const orderOf = (signal = new AbortController().signal) => ({
  accountId: ON_PACKAGE.accountId,
  receivedAtMs: 900,
  context: contextOf(REQUEST, 'user:7'),
  signal,
});

paidWorkContract('downloads of packages', {
  requestMsMax: SETTINGS.downloadMsMax,
  open: (paid, clock, work) => {
    const onOpen = once(work);
    const downloads = downloadsOn(paid, clock, STATE, onOpen);
    return Promise.resolve(async (order, signal) => {
      const start = { ...WHOLE, start: 512 };
      const file = await downloads.find('7', ON_PACKAGE.packageUuid, 'package');
      return gather(await downloads.open({ ...order, file, range: start, signal }));
    });
  },
});

/** A download opens two blobs, and is one piece of work. */
function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

describe('a download', () => {
  it('charges the bytes that were read when its caller leaves', async () => {
    const { fake, paid } = ledger();
    const downloads = downloadsOn(paid, { now: () => 1_000 });
    const file = await downloads.find('7', ON_PACKAGE.packageUuid, 'package');
    const content = await downloads.open({ ...orderOf(), file, range: WHOLE });
    const first = await content.next();
    const second = await content.next();
    await content.return?.();
    const bytes = Number(first.value?.length) + Number(second.value?.length);
    expect(bytes).toBe(512 + 5_120);
    expect(fake.captured).toMatchObject({
      outcome: 'client_gone',
      lines: [{ meter: 'package_download_bytes', quantity: bytes }],
    });
  });

  it('ends its hold also when nothing was read', async () => {
    const { fake, paid } = ledger();
    const downloads = downloadsOn(paid, { now: () => 1_000 });
    const file = await downloads.find('7', ON_PACKAGE.packageUuid, 'archive');
    expect(file).toMatchObject({ bytes: 10_240, offset: 512, name: 'field-kit.content.tar' });
    const content = await downloads.open({ ...orderOf(), file, range: { start: 0, end: 100 } });
    await content.return?.();
    expect(fake.ends).toHaveLength(1);
  });

  it.each<[string, Partial<PackageState>, number, string]>([
    ['is not there yet', { ready: null }, 1_000, 'package_not_ready'],
    ['has ended', {}, Date.parse(DOWNLOAD_UNTIL), 'package_expired'],
  ])('is rejected where it %s', async (_, change, now, code) => {
    const { paid } = ledger();
    const downloads = downloadsOn(paid, { now: () => now }, { ...STATE, ...change });
    const finding = downloads.find('7', ON_PACKAGE.packageUuid, 'package');
    await expect(finding).rejects.toMatchObject({ code });
  });
});
