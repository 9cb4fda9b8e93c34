import { EventStoreDBClient } from '@eventstore/db-client';
import { PackageClient } from './package-client.js';

/** `@eventstore/db-client`: loaded only when an `esdb://` address is named. */
export const openDbClient = (url: string): PackageClient =>
  new PackageClient(EventStoreDBClient.connectionString(url));
