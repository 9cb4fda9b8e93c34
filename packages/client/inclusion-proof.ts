/** Checks inclusion proofs (C2SP tlog-proof, RFC 6962) by WebCrypto, in browsers and in Node. */
import { ProofError } from './proof.error.js';

const FORMAT = 'c2sp.org/tlog-proof@v1';
const LEAF = 0x00;
const NODE = 0x01;
const HASH_BYTES = 32;
/** A tree of 2^63 leaves has no longer path. */
const HASHES_MAX = 63;
const SIZE = /^(0|[1-9]\d{0,15})$/;
const SIGNATURE_LINE = /^— (\S+) (\S+)$/;
const KEY_ID_BYTES = 4;
const ED25519 = 0x01;

type Bytes = Uint8Array<ArrayBuffer>;

/** The parts of a proof as text. */
interface ParsedProof {
  readonly index: bigint;
  readonly hashes: readonly Bytes[];
  readonly size: bigint;
  readonly root: Bytes;
  /** The text that the log has signed. */
  readonly signedText: string;
  readonly signatures: readonly { readonly name: string; readonly bytes: Bytes }[];
}

export interface ProofVerdict {
  /** Whether the event is a leaf of the tree that the checkpoint states. */
  readonly isIncluded: boolean;
  /** Whether the key has signed the checkpoint. Null: this platform has no Ed25519. */
  readonly isSigned: boolean | null;
  /** Of the tree. */
  readonly size: string;
}

export interface ProofClaim {
  /** The canonical bytes of the event, in base64. */
  readonly encoding: string;
  readonly proof: string;
  /** `<name>+<id>+<type and key in base64>` */
  readonly verifierKey: string;
}

/** @throws ProofError for a text that is no proof */
export const checkProof = async (claim: ProofClaim): Promise<ProofVerdict> => {
  const proof = parsed(claim.proof);
  const leaf = await hashOf(LEAF, bytesOf(claim.encoding));
  const root = await rootOf(leaf, proof);
  return {
    isIncluded: root !== null && isEqual(root, proof.root),
    isSigned: await isSignedBy(claim.verifierKey, proof),
    size: proof.size.toString(),
  };
};

/** @throws ProofError */
export const bytesOf = (base64: string): Bytes => {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch (error) {
    throw new ProofError('a text is no base64', { cause: error });
  }
};

const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index]);

const hashOf = async (prefix: number, ...parts: readonly Bytes[]): Promise<Bytes> => {
  const bytes = new Uint8Array(await new Blob([Uint8Array.of(prefix), ...parts]).arrayBuffer());
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
};

const rejectProof = (detail: string): never => {
  throw new ProofError(`This is no proof: ${detail}.`);
};

const parsed = (text: string): ParsedProof => {
  const [head = '', ...rest] = text.split('\n\n');
  const [format, indexLine = '', ...hashLines] = head.split('\n');
  const [, index = ''] = indexLine.split('index ');
  if (format !== FORMAT || !SIZE.test(index)) return rejectProof('its first lines are others');
  const hashes = hashLines.map(bytesOf);
  if (hashes.length > HASHES_MAX || hashes.some(({ length }) => length !== HASH_BYTES)) {
    return rejectProof('a hash has another length');
  }
  const [body = '', signatureLines = ''] = rest;
  const [, size = '', root = ''] = body.split('\n');
  if (!SIZE.test(size)) return rejectProof('its checkpoint has no size');
  const signatures = signatureLines.split('\n').flatMap((line) => {
    const [, name, bytes] = SIGNATURE_LINE.exec(line) ?? [];
    return name === undefined || bytes === undefined ? [] : [{ name, bytes: bytesOf(bytes) }];
  });
  return {
    index: BigInt(index),
    hashes,
    size: BigInt(size),
    root: bytesOf(root),
    signedText: `${body}\n`,
    signatures,
  };
};

/** Section 2.1.3.2 of RFC 9162. Null for a path of another length. */
const rootOf = async (
  leaf: Bytes,
  { index, size, hashes }: Pick<ParsedProof, 'index' | 'size' | 'hashes'>,
): Promise<Bytes | null> => {
  if (index >= size) return null;
  let node = index;
  let last = size - 1n;
  let hash = leaf;
  for (const sibling of hashes) {
    if (last === 0n) return null;
    if ((node & 1n) === 1n || node === last) {
      hash = await hashOf(NODE, sibling, hash);
      while ((node & 1n) === 0n && node !== 0n) {
        node >>= 1n;
        last >>= 1n;
      }
    } else {
      hash = await hashOf(NODE, hash, sibling);
    }
    node >>= 1n;
    last >>= 1n;
  }
  return last === 0n ? hash : null;
};

/** By the name, the id and the bytes of the key: C2SP signed-note. */
const isSignedBy = async (
  verifierKey: string,
  { signatures, signedText }: ParsedProof,
): Promise<boolean | null> => {
  const [name = '', id = '', ...rest] = verifierKey.split('+');
  const [type, ...raw] = bytesOf(rest.join('+'));
  const own = signatures.filter(
    (one) => one.name === name && hexOf(one.bytes.subarray(0, KEY_ID_BYTES)) === id,
  );
  if (type !== ED25519 || !signedText.startsWith(`${name}\n`)) return false;
  const key = await crypto.subtle
    .importKey('raw', Uint8Array.from(raw), 'Ed25519', false, ['verify'])
    .catch(() => null);
  if (!key) return null;
  const text = new TextEncoder().encode(signedText);
  for (const { bytes } of own) {
    const signature = bytes.subarray(KEY_ID_BYTES);
    if (await crypto.subtle.verify('Ed25519', key, signature, text)) return true;
  }
  return false;
};

const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
