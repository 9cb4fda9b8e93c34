import { EventStoreDBClient } from '@eventstore/db-client';
import readStreams from '@eventstore/db-client/dist/streams/utils/ReadStream.js';
import converting from '@eventstore/db-client/dist/utils/convertGrpcEvent.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { type LogClient } from './log-client.js';
import { PackageClient } from './package-client.js';

const { ReadStream } = readStreams;
const { convertGrpcEvent } = converting;

/** `@eventstore/db-client`: loaded only when an `esdb://` address is named. */
export const openDbClient = (url: string): LogClient =>
  new PackageClient(EventStoreDBClient.connectionString(url), {
    shared,
    streams,
    ReadStream,
    convertGrpcEvent,
  });
