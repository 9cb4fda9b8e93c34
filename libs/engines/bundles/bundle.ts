import { type CrcType } from './crc.js';
import { type EndpointId } from './endpoint-id.js';

/** Bits of RFC 9171, section 4.2.3. */
export const BUNDLE_FLAGS = {
  isFragment: 0x1,
  isAdministrative: 0x2,
  mustNotFragment: 0x4,
  acknowledgementRequested: 0x20,
  statusTimeRequested: 0x40,
  reportReception: 0x4000,
  reportForwarding: 0x10000,
  reportDelivery: 0x20000,
  reportDeletion: 0x40000,
} as const;

/** Bits of RFC 9171, section 4.2.4. */
export const BLOCK_FLAGS = {
  replicate: 0x1,
  reportUnprocessed: 0x2,
  deleteBundleUnprocessed: 0x4,
  discardUnprocessed: 0x10,
} as const;

export const BLOCK_TYPES = {
  payload: 1,
  previousNode: 6,
  age: 7,
  hopCount: 10,
  integrity: 11,
  confidentiality: 12,
} as const;

export const PAYLOAD_NUMBER = 1;

/** Milliseconds since 2000, or 0 for a node without a clock, and a number within that instant. */
export interface CreationTimestamp {
  readonly timeMs: number;
  readonly sequence: number;
}

/** The place of a fragment in the whole payload. */
export interface FragmentPlace {
  readonly offset: number;
  readonly total: number;
}

export interface PrimaryBlock {
  readonly flags: number;
  readonly crcType: CrcType;
  readonly destination: EndpointId;
  readonly source: EndpointId;
  readonly reportTo: EndpointId;
  readonly created: CreationTimestamp;
  readonly lifetimeMs: number;
  /** Null for a whole bundle. */
  readonly fragment: FragmentPlace | null;
}

export interface CanonicalBlock {
  readonly type: number;
  readonly number: number;
  readonly flags: number;
  readonly crcType: CrcType;
  readonly data: Uint8Array;
}

export interface Bundle {
  readonly primary: PrimaryBlock;
  /** The payload is the last one. */
  readonly blocks: readonly CanonicalBlock[];
}

/** The instant from which a node of RFC 9171 counts. */
const DTN_EPOCH_MS = Date.UTC(2000, 0);

export const dtnTimeOf = (unixMs: number): number => unixMs - DTN_EPOCH_MS;

export const unixTimeOf = (dtnMs: number): number => dtnMs + DTN_EPOCH_MS;

export const payloadOf = ({ blocks }: Bundle): Uint8Array =>
  blocks.find(({ number }) => number === PAYLOAD_NUMBER)?.data ?? new Uint8Array();

/** The identity of a bundle, or of a fragment, in one text. */
export const bundleKeyOf = ({ primary }: Bundle): string => {
  const { source, created, fragment } = primary;
  const place = fragment === null ? '' : `#${fragment.offset}+${fragment.total}`;
  return `${source}@${created.timeMs}.${created.sequence}${place}`;
};
