import { AttestationError } from '../attestation.errors.js';

/** TPM_GENERATED_VALUE: a TPM signs nothing else that begins with it. */
const GENERATED = 0xff544347;
const ST_ATTEST_QUOTE = 0x8018;
export const ALG_SHA256 = 0x000b;
const SELECTIONS_MAX = 16;
const SELECT_BYTES_MAX = 4;

export interface PcrSelection {
  /** TPM_ALG_ID of the bank. */
  readonly algorithm: number;
  /** Ascending. */
  readonly registers: readonly number[];
}

/** A quote: a TPMS_ATTEST of the type TPM_ST_ATTEST_QUOTE. */
export interface Quote {
  readonly qualifiedSigner: Buffer;
  /** The qualifying data of the request. */
  readonly extraData: Buffer;
  readonly clock: bigint;
  readonly resetCount: number;
  readonly restartCount: number;
  readonly safe: boolean;
  readonly firmwareVersion: bigint;
  readonly selections: readonly PcrSelection[];
  readonly pcrDigest: Buffer;
}

/** Reads the big-endian structures of TPM 2.0 Library, Part 2. */
class TpmReader {
  #at = 0;

  constructor(private readonly bytes: Buffer) {}

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.bytes.length) malformed(`it ends at byte ${this.bytes.length}, before ${end}`);
    const taken = this.bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  uint8(): number {
    return this.take(1).readUInt8();
  }

  uint16(): number {
    return this.take(2).readUInt16BE();
  }

  uint32(): number {
    return this.take(4).readUInt32BE();
  }

  uint64(): bigint {
    return this.take(8).readBigUInt64BE();
  }

  /** A TPM2B: a 16-bit length and its bytes. */
  sized(): Buffer {
    return this.take(this.uint16());
  }

  finish(): void {
    const left = this.bytes.length - this.#at;
    if (left > 0) malformed(`${left} bytes follow its end`);
  }
}

/**
 * Parses a quote and rejects every other attestation structure.
 * @throws AttestationError `evidence_malformed`
 */
export const parseQuote = (bytes: Buffer): Quote => {
  const reader = new TpmReader(bytes);
  if (reader.uint32() !== GENERATED) malformed('it does not begin with TPM_GENERATED_VALUE');
  const type = reader.uint16();
  if (type !== ST_ATTEST_QUOTE) malformed(`its type is 0x${type.toString(16)}, not a quote`);
  const qualifiedSigner = reader.sized();
  const extraData = reader.sized();
  const clock = reader.uint64();
  const resetCount = reader.uint32();
  const restartCount = reader.uint32();
  const safe = safeOf(reader.uint8());
  const firmwareVersion = reader.uint64();
  const selections = selectionsOf(reader);
  const pcrDigest = reader.sized();
  reader.finish();
  return {
    qualifiedSigner,
    extraData,
    clock,
    resetCount,
    restartCount,
    safe,
    firmwareVersion,
    selections,
    pcrDigest,
  };
};

/** TPMI_YES_NO has two values. */
const safeOf = (byte: number): boolean => {
  if (byte > 1) malformed(`its field safe is ${byte}`);
  return byte === 1;
};

const selectionsOf = (reader: TpmReader): readonly PcrSelection[] => {
  const count = reader.uint32();
  if (count > SELECTIONS_MAX) malformed(`it selects ${count} banks`);
  return Array.from({ length: count }, () => {
    const algorithm = reader.uint16();
    const size = reader.uint8();
    if (size > SELECT_BYTES_MAX) malformed(`a selection has ${size} bytes`);
    return { algorithm, registers: registersOf(reader.take(size)) };
  });
};

const registersOf = (bits: Buffer): readonly number[] =>
  [...bits].flatMap((byte, at) =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => (byte >> bit) & 1).map((bit) => at * 8 + bit),
  );

const malformed = (detail: string): never => {
  throw new AttestationError('evidence_malformed', `the TPM quote: ${detail}`);
};
