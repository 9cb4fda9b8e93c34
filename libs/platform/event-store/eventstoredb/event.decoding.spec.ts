import { describe, expect, it } from '@jest/globals';
import { metadata } from '../event-store.fixture.js';
import { isOwnEvent, isSystemEvent, positionOf, recordedFrom } from './event.decoding.js';
import { type ClientRecord } from './log-client.js';

const record: ClientRecord = {
  streamId: 'job-1',
  id: '6f1e9a3c-5b0d-4a63-9d53-9a5ab0a1e001',
  revision: 4n,
  type: 'JobSubmitted',
  data: { jobId: '1' },
  metadata: { ...metadata, recordedAt: '2025-12-31T23:59:59.999Z' },
  isJson: true,
  created: new Date('2026-01-02T03:04:05.678Z'),
  position: { commit: 77n },
};

const FOREIGN = { version: 1, correlationId: '', causationId: '', requestId: '', actor: '' };

describe('an event as the server tells it', () => {
  it('becomes what was appended', () => {
    expect(recordedFrom(record)).toEqual({
      id: record.id,
      type: 'JobSubmitted',
      data: { jobId: '1' },
      metadata,
      stream: 'job-1',
      revision: 4n,
      position: 77n,
      recordedAt: '2025-12-31T23:59:59.999Z',
    });
  });

  it.each([
    ['none', undefined],
    ['bytes', Buffer.from('{')],
    ['of another program', { $correlationId: '1' }],
    ['with a part missing', { ...metadata, actor: undefined }],
    ['with a part of another kind', { ...metadata, version: '1' }],
    ['without an instant', metadata],
    ['with another instant', { ...metadata, recordedAt: 'now' }],
  ])('is of another program when its metadata are %s', (_, foreign) => {
    const other = { ...record, metadata: foreign };
    expect(isOwnEvent(other)).toBe(false);
    expect(recordedFrom(other)).toMatchObject({
      metadata: FOREIGN,
      recordedAt: '2026-01-02T03:04:05.678Z',
    });
  });

  it.each([
    ['bytes', { isJson: false, data: Buffer.from([1, 2]) }],
    ['a list', { data: [1] }],
    ['a text', { data: 'malformed' }],
    ['nothing', { data: null }],
  ])('is of another program when its data are %s, and shown in its stream', (_, part) => {
    const other = { ...record, ...part };
    expect(isOwnEvent(other)).toBe(false);
    expect(recordedFrom(other)).toMatchObject({ data: {}, metadata: FOREIGN, revision: 4n });
  });

  it.each([
    ['no type', { type: '' }],
    ['a type with a space', { type: 'Job submitted' }],
    ['a stream without a dash', { streamId: 'jobs' }],
    ['a stream of the server', { streamId: '$ce-job' }],
    ['the type of a tombstone', { type: '$streamDeleted' }],
    ['the type of a link', { type: '$>', isJson: false, data: '4@job-1' }],
  ])('is of another program when it has %s', (_, part) => {
    expect(isOwnEvent({ ...record, ...part })).toBe(false);
  });

  it('is of Quipu when it has all of that', () => {
    expect(isOwnEvent(record)).toBe(true);
  });

  it('has no position where the server says none', () => {
    const { position: _, ...without } = record;
    expect(positionOf(without)).toBe(0n);
    expect(positionOf({ ...record, position: { commit: 0xffff_ffff_ffff_ffffn } })).toBe(0n);
  });

  it.each([
    [{ type: '$metadata' }, true],
    [{ type: '$>' }, true],
    [{ streamId: '$stats-127.0.0.1:2113' }, true],
    [{ streamId: '$$job-1' }, true],
    [{}, false],
  ])("is known as the server's own: %j", (part, expected) => {
    expect(isSystemEvent({ ...record, ...part })).toBe(expected);
  });
});
