import { reject } from '../rentals.errors.js';

/** A digest that a caller states. The length of its hex digits says which. */
export interface Checksum {
  readonly algorithm: 'sha256' | 'md5';
  /** Lower case. */
  readonly hex: string;
}

/** @throws DomainError `sync_parameter_invalid` */
export const checksumOf = (text: string, field: string): Checksum => {
  const hex = text.toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hex)) return { algorithm: 'sha256', hex };
  if (/^[0-9a-f]{32}$/.test(hex)) return { algorithm: 'md5', hex };
  const message = `${field} is 64 hex digits of a SHA-256, or 32 of an MD5`;
  return reject('sync_parameter_invalid', message);
};
