import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blobsContract } from '#platform/blobs/blobs.contract.js';
import { failed, sourceOf } from '#platform/blobs/blobs.fixture.js';
import { S3ObjectStore } from '#platform/blobs/s3/s3-object-store.js';
import { readS3Url } from '#platform/blobs/s3/s3-url.js';
import { S3_CREDENTIALS, startS3 } from '../servers/s3/s3.server.js';
import { SuiteBucket } from '../servers/s3/suite-bucket.js';
import { type TestServer } from '../servers/test-server.js';

let bucket: SuiteBucket;

beforeAll(async () => {
  bucket = await SuiteBucket.start();
});

afterAll(() => bucket.stop());

blobsContract('s3', () => {
  const target = readS3Url(bucket.newUrl());
  return Promise.resolve({
    open: () => Promise.resolve(new S3ObjectStore(target)),
    // The bucket goes with its server.
    remove: () => Promise.resolve(),
  });
});

describe('a list of objects', () => {
  it('has the objects of more than one page', async () => {
    const objects = new S3ObjectStore(readS3Url(bucket.newUrl()));
    const expected = Array.from({ length: 1_050 }, (_, n) => `refs/aa/${n}`);
    for (let at = 0; at < expected.length; at += 50) {
      await Promise.all(expected.slice(at, at + 50).map((name) => objects.mark(name)));
    }
    const names: string[] = [];
    for await (const { name } of objects.list('refs/aa/')) names.push(name);
    expect(names.sort()).toEqual(expected.sort());
    await objects.close();
  });
});

describe('a server that is away', () => {
  const TIMES = { connectMs: 500, requestMs: 500, transferMs: 500, attempts: 1 };
  let server: TestServer;
  let objects: S3ObjectStore;

  beforeAll(async () => {
    server = await startS3();
    process.env['AWS_ACCESS_KEY_ID'] ??= S3_CREDENTIALS.AWS_ACCESS_KEY_ID;
    const url = `s3://no-bucket?endpoint=${server.url}&region=us-east-1&path-style=true`;
    objects = new S3ObjectStore(readS3Url(url), TIMES);
  });

  afterAll(async () => {
    await objects.close();
    await server.stop();
  });

  const everyCall = (): readonly (() => Promise<unknown>)[] => [
    () => objects.write('staging/1', sourceOf(Buffer.alloc(10))),
    () => objects.mark('refs/aa/1'),
    () => objects.copy('staging/1', 'blobs/aa/1'),
    () => objects.stat('blobs/aa/1'),
    () => objects.tail('blobs/aa/1', 10),
    () => objects.read({ name: 'blobs/aa/1', version: '"1"' }, 0, 1)[Symbol.asyncIterator]().next(),
    () => objects.list('blobs/aa/')[Symbol.asyncIterator]().next(),
    () => objects.remove('blobs/aa/1'),
  ];

  it('or hangs is unavailable, by name', async () => {
    server.freeze();
    for (const call of everyCall()) {
      await expect(call()).rejects.toEqual(failed('blobs-unavailable'));
    }
    server.thaw();
    await server.kill();
    for (const call of everyCall()) {
      await expect(call()).rejects.toEqual(failed('blobs-unavailable'));
    }
    await server.restart();
  });

  it('has no bucket: a write is unavailable', async () => {
    const writing = objects.write('staging/1', sourceOf(Buffer.alloc(10)));
    await expect(writing).rejects.toEqual(failed('blobs-unavailable'));
  });
});
