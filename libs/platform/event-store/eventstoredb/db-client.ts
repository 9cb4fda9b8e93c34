import { EventStoreDBClient } from '@eventstore/db-client';
import { type LogClient } from './log-client.js';
import { PackageClient } from './package-client.js';

/** `@eventstore/db-client`: loaded only when an `esdb://` address is named. */
export const openDbClient = (url: string): LogClient =>
  new PackageClient(EventStoreDBClient.connectionString(url));
