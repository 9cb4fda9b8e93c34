import { KurrentDBClient } from '@kurrent/kurrentdb-client';
import readStreams from '@kurrent/kurrentdb-client/dist/streams/utils/ReadStream.js';
import converting from '@kurrent/kurrentdb-client/dist/utils/convertGrpcEvent.js';
import shared from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js';
import streams from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import { type LogClient } from './log-client.js';
import { PackageClient } from './package-client.js';
import { type ReadingParts } from './package-reads.js';

const { ReadStream } = readStreams;
const { convertGrpcEvent } = converting;

/** The same code, generated anew: its types say the same under other names. */
const parts = { shared, streams, ReadStream, convertGrpcEvent } as unknown as ReadingParts;

/** `@kurrent/kurrentdb-client`: optional, loaded only when a `kurrentdb://` address is named. */
export const openKurrentDbClient = (url: string): LogClient =>
  new PackageClient(KurrentDBClient.connectionString(url), parts);
