import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { responseEvents } from '#events/responses/response.events.js';
import { BlobsStage } from '#platform/blobs/blobs.fixture.js';
import { FileObjectStore } from '#platform/blobs/file/file-object-store.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { ResponseBlobs } from './response-blobs.js';
import { ResponseStore } from './response-store.js';
import { ResponseStreams } from './response-streams.js';

/** Responses on a log and blobs in files of their own. */
export interface ResponseStage {
  readonly blobs: BlobsStage;
  readonly streams: ResponseStreams;
  readonly responses: ResponseStore;
  close(): Promise<void>;
}

/** @param now milliseconds since the Unix epoch */
export const openResponseStage = async (
  retentionMs: number,
  now: () => number,
): Promise<ResponseStage> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-responses-'));
  const objects = path.join(folder, 'blobs');
  const blobs = new BlobsStage();
  await blobs.begin(() =>
    Promise.resolve({
      open: () => Promise.resolve(new FileObjectStore(objects)),
      remove: () => Promise.resolve(),
    }),
  );
  const eventStore = await openSqliteEventStore({ file: path.join(folder, 'events.db') });
  const streams = new ResponseStreams(eventStore, new EventCodec(responseEvents));
  const content = new ResponseBlobs(blobs.blobs);
  return {
    blobs,
    streams,
    responses: new ResponseStore(streams, content, { retentionMs }, { now }),
    close: async () => {
      await eventStore.close();
      await blobs.end();
      await rm(folder, { recursive: true });
    },
  };
};
