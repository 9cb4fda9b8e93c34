import { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { PackageClient } from './package-client.js';

/** `@kurrent/kurrentdb-client`: optional, loaded only when a `kurrentdb://` address is named. */
export const openKurrentDbClient = (url: string): PackageClient =>
  new PackageClient(KurrentDBClient.connectionString(url));
