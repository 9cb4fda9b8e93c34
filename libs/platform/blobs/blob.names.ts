import { BlobError } from './blobs.errors.js';
import { type BlobAddress } from './blobs.port.js';
import { type ObjectName } from './object-store.port.js';

/**
 * Names of objects:
 *
 *     blobs/<shard>/<address>              a blob
 *     refs/<shard>/<address>.<holder>      a reference; colons of the holder are dots
 *     condemned/<address>.<id>             a sweep that may remove the blob
 *     staging/<id>                         a put under way
 *
 * A shard is the first two digits of the address, so that a list or a folder stays short.
 */
const ADDRESS = /^[0-9a-f]{64}$/;
const HOLDER = /^[a-z][a-z0-9:_-]{0,127}$/;
const SHARD_DIGITS = 2;

export const STAGING = 'staging/';
export const CONDEMNED = 'condemned/';

export const checkAddress = (address: string): BlobAddress => {
  if (ADDRESS.test(address)) return address;
  throw new BlobError('invalid-address', 'an address has 64 hex digits in lower case');
};

export const blobName = (address: BlobAddress): ObjectName =>
  `${blobsOfShard(shardOf(checkAddress(address)))}${address}`;

export const referenceName = (address: BlobAddress, holder: string): ObjectName => {
  if (!HOLDER.test(holder)) {
    const detail = 'a holder is a letter, then up to 127 of a-z 0-9 : - _';
    throw new BlobError('invalid-holder', detail);
  }
  return `${referencesPrefix(checkAddress(address))}${holder.replaceAll(':', '.')}`;
};

export const stagedName = (id: string): ObjectName => `${STAGING}${id}`;
export const condemnedName = (address: BlobAddress, id: string): ObjectName =>
  `${condemnedPrefix(address)}${id}`;

/** Prefixes. */
export const condemnedPrefix = (address: BlobAddress): string => `${CONDEMNED}${address}.`;
export const referencesPrefix = (address: BlobAddress): string =>
  `${referencesOfShard(shardOf(address))}${address}.`;
export const blobsOfShard = (shard: string): string => `blobs/${shard}/`;
export const referencesOfShard = (shard: string): string => `refs/${shard}/`;

export const addressOfBlob = (name: ObjectName): BlobAddress => name.slice(-64);
/** The address that a reference names. */
export const addressOfReference = (name: ObjectName): BlobAddress => {
  const [address = ''] = name.slice(name.lastIndexOf('/') + 1).split('.', 1);
  return address;
};

/** All of them: 00 to ff. */
export const SHARDS: readonly string[] = Array.from({ length: 16 ** SHARD_DIGITS }, (_, n) =>
  n.toString(16).padStart(SHARD_DIGITS, '0'),
);

const shardOf = (address: BlobAddress): string => address.slice(0, SHARD_DIGITS);
