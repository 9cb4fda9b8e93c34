import { closeSync, fsyncSync, openSync } from 'node:fs';
import { BaseFile, readFully } from './base-file.js';
import { decodeBsdiff } from './bsdiff/decode-bsdiff.js';
import { malformed } from './delta.error.js';
import { type DeltaFormat, deltaFormatOf, MAGIC_BYTES } from './delta-format.js';
import { type ResultDigests, ResultFile } from './result-file.js';
import { decodeVcdiff } from './vcdiff/decode-vcdiff.js';

/** The files of one application, by path. */
export interface DeltaFiles {
  readonly delta: string;
  /** Must not change meanwhile. */
  readonly base: string;
  /** Created; on an error it is incomplete, and the caller's to remove. */
  readonly result: string;
  /** An existing folder for temporary files, which are removed. */
  readonly scratch: string;
  readonly resultBytesMax: number;
  /** Whether the MD5 of the result is wanted beside its SHA-256. */
  readonly withMd5: boolean;
}

export interface AppliedDelta extends ResultDigests {
  readonly format: DeltaFormat;
  readonly bytes: number;
}

/**
 * Applies a delta to a base and writes the result durably. Blocks its thread.
 * @throws DeltaError; an error of the file system
 */
export const applyDelta = (files: DeltaFiles): AppliedDelta => {
  const opened: number[] = [];
  const open = (path: string, flags: string): number => {
    const fd = openSync(path, flags, 0o600);
    opened.push(fd);
    return fd;
  };
  try {
    const delta = open(files.delta, 'r');
    const format = formatOf(delta);
    const base = new BaseFile(open(files.base, 'r'));
    const resultFd = open(files.result, 'wx+');
    const result = new ResultFile(resultFd, files.resultBytesMax, files.withMd5);
    if (format === 'vcdiff') decodeVcdiff(delta, base, result);
    else decodeBsdiff(delta, base, result, files.scratch);
    fsyncSync(resultFd);
    return { format, bytes: result.bytes, ...result.digests() };
  } finally {
    for (const fd of opened) closeSync(fd);
  }
};

const formatOf = (fd: number): DeltaFormat => {
  const start = Buffer.alloc(MAGIC_BYTES);
  const { bytes } = new BaseFile(fd);
  if (bytes === 0) return malformed('the delta is empty');
  readFully(fd, start.subarray(0, Math.min(bytes, MAGIC_BYTES)), 0);
  return deltaFormatOf(start);
};
