import { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { type LogClient } from './log-client.js';
import { PackageClient } from './package-client.js';

/** `@kurrent/kurrentdb-client`: optional, loaded only when a `kurrentdb://` address is named. */
export const openKurrentDbClient = (url: string): LogClient =>
  new PackageClient(KurrentDBClient.connectionString(url));
