import { type PackageClient } from './package-client.js';

export type ClientPackage = '@eventstore/db-client' | '@kurrent/kurrentdb-client';

const PACKAGES: Readonly<Record<string, ClientPackage>> = {
  esdb: '@eventstore/db-client',
  kurrentdb: '@kurrent/kurrentdb-client',
  kurrent: '@kurrent/kurrentdb-client',
  kdb: '@kurrent/kurrentdb-client',
};

const SCHEME = /^([a-z]+)(?:\+discover)?:\/\//;

/** @throws Error for a scheme that none of the packages serves */
export const packageOf = (url: string): ClientPackage => {
  const name = PACKAGES[SCHEME.exec(url)?.[1] ?? ''];
  if (name === undefined) {
    throw new Error('no address of an EventStoreDB: esdb:// or kurrentdb://, also with +discover');
  }
  return name;
};

/**
 * The function that opens a client for the address; its package is loaded by this call.
 * @throws Error for an address that the package does not understand, or no such package
 */
export const openerFor = async (url: string): Promise<() => PackageClient> => {
  // Such a client reports a conflict as a success, with a revision that is always 1.
  if (/[?&]throwOnAppendFailure=false/i.test(url)) {
    throw new Error('throwOnAppendFailure=false is not supported: conflicts would go unnoticed');
  }
  const open = await load(packageOf(url));
  return () => {
    try {
      return open(url);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // The packages quote the whole address, password included.
      throw new Error(message.replaceAll(/\/\/[^@/\s]*@/g, '//***@'));
    }
  };
};

/** Both packages define the messages of the protocol under the same global names. */
let loaded: ClientPackage | null = null;

const load = async (name: ClientPackage): Promise<(url: string) => PackageClient> => {
  if (loaded !== null && loaded !== name) {
    throw new Error(`${name} cannot be loaded beside ${loaded}: they overwrite each other`);
  }
  loaded = name;
  if (name === '@eventstore/db-client') return (await import('./db-client.js')).openDbClient;
  return (await import('./kurrentdb-client.js')).openKurrentDbClient;
};
