import { type CreationTimestamp } from './bundle.js';
import { BundleError } from './bundles.errors.js';
import { CborReader, CborWriter } from './cbor.js';
import { decodeEid, type EndpointId, writeEid } from './endpoint-id.js';

/** Of RFC 9171, section 6.1.1, in the order of the record. */
export const STATUSES = ['received', 'forwarded', 'delivered', 'deleted'] as const;
export type BundleStatus = (typeof STATUSES)[number];

/** Whether a status is asserted, and when; the time is null where it was not asked for. */
export type StatusItem = { readonly isAsserted: boolean; readonly timeMs: number | null };

export interface StatusReport {
  readonly items: Readonly<Record<BundleStatus, StatusItem>>;
  /** Of the registry of RFC 9171, section 9.5: 1 is an expired lifetime, 5 no route. */
  readonly reason: number;
  readonly source: EndpointId;
  readonly created: CreationTimestamp;
  /** The place of the fragment that is reported and its length; null for a whole bundle. */
  readonly fragment: { readonly offset: number; readonly length: number } | null;
}

const STATUS_REPORT = 1;

/** The payload of a bundle with the flag `isAdministrative`. */
export const encodeStatusReport = (report: StatusReport): Uint8Array => {
  const { items, reason, source, created, fragment } = report;
  const writer = new CborWriter().array(2).uint(STATUS_REPORT);
  writer.array(fragment === null ? 4 : 6).array(STATUSES.length);
  for (const status of STATUSES) {
    const { isAsserted, timeMs } = items[status];
    if (isAsserted && timeMs !== null) writer.array(2).bool(true).uint(timeMs);
    else writer.array(1).bool(isAsserted);
  }
  writeEid(writer.uint(reason), source);
  writer.array(2).uint(created.timeMs).uint(created.sequence);
  if (fragment) writer.uint(fragment.offset).uint(fragment.length);
  return writer.written();
};

/** @throws BundleError */
export const decodeStatusReport = (payload: Uint8Array): StatusReport => {
  const reader = new CborReader(payload);
  reader.arrayOf(2);
  const type = reader.uint();
  if (type !== STATUS_REPORT) {
    throw new BundleError('unsupported', `administrative records of type ${type}`);
  }
  const length = reader.arrayOf(4, 6);
  reader.arrayOf(STATUSES.length);
  const item = (): StatusItem => {
    const isTimed = reader.arrayOf(1, 2) === 2;
    const isAsserted = reader.bool();
    if (isTimed && !isAsserted) throw new BundleError('malformed', 'a time of no event');
    return { isAsserted, timeMs: isTimed ? reader.uint() : null };
  };
  const items = { received: item(), forwarded: item(), delivered: item(), deleted: item() };
  const reason = reader.uint();
  const source = decodeEid(reader);
  reader.arrayOf(2);
  const created = { timeMs: reader.uint(), sequence: reader.uint() };
  const fragment = length === 6 ? { offset: reader.uint(), length: reader.uint() } : null;
  reader.finish();
  return { items, reason, source, created, fragment };
};
