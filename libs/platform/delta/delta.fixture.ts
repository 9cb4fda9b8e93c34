import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppliedDelta, type DeltaFiles } from './apply-delta.js';

/** Recorded from Debian's xdelta3 and bsdiff by `test/oracles/delta/record-vectors.mjs`. */
export interface Vector {
  readonly base: Buffer;
  readonly result: Buffer;
  /** By the program and its options. */
  readonly deltas: ReadonlyMap<string, Buffer>;
  /** With secondary compression. */
  readonly compressed: ReadonlyMap<string, Buffer>;
}

interface StoredVector {
  readonly base: string;
  readonly result: string;
  readonly deltas: Readonly<Record<string, string>>;
  readonly compressed: Readonly<Record<string, string>>;
}

const FILE = new URL('../../../test/oracles/delta/vectors.json', import.meta.url);
const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');
const deltasOf = (stored: Readonly<Record<string, string>>): ReadonlyMap<string, Buffer> =>
  new Map(Object.entries(stored).map(([name, delta]) => [name, bytesOf(delta)]));

export const recordedVectors = (): readonly Vector[] => {
  const { vectors } = JSON.parse(readFileSync(FILE, 'utf8')) as {
    readonly vectors: readonly StoredVector[];
  };
  return vectors.map(({ base, result, deltas, compressed }) => ({
    base: bytesOf(base),
    result: bytesOf(result),
    deltas: deltasOf(deltas),
    compressed: deltasOf(compressed),
  }));
};

/** A folder for the files of deltas; `close` removes it. */
export class DeltaFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'delta-spec-'));

  files(base: Uint8Array, delta: Uint8Array, resultBytesMax = 2 ** 20): DeltaFiles {
    const at = (name: string): string => join(this.path, name);
    writeFileSync(at('base'), base);
    writeFileSync(at('delta'), delta);
    rmSync(at('result'), { force: true });
    const paths = { base: at('base'), delta: at('delta'), result: at('result') };
    return { ...paths, scratch: this.path, resultBytesMax, withMd5: true };
  }

  /** The result that was written. */
  result(): Buffer {
    return readFileSync(join(this.path, 'result'));
  }

  close(): void {
    rmSync(this.path, { recursive: true });
  }
}

export type Apply = (files: DeltaFiles) => AppliedDelta;
