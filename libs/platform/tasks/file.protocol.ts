/**
 * The messages by which a worker copies a file of the process that asked for its task: part by
 * part, each on request, so that neither side holds more than one of them.
 */
import { z } from 'zod';

/** Where a process hears which part of a file a worker wants. */
export const fileRequestsTopicOf = (instance: string): string => `quipu.file-requests.${instance}`;

/** Where a worker hears the parts that it has asked for. */
export const filePartsTopicOf = (worker: string): string => `quipu.file-parts.${worker}`;

/** Of content: a message has room for it after its encoding and its seal. */
export const PART_BYTES = 393_216;
/** A longer file is not copied. */
export const FILE_BYTES_MAX = 67_108_864;

/** A file of the process that asks for a task, which its worker may copy. */
export interface LentFile {
  /** Of the whole file, in lower-case hex. */
  readonly sha256: string;
  /** Absolute path. */
  readonly file: string;
}

/** A file that another process lends. */
export interface BorrowedFile extends Pick<LentFile, 'sha256'> {
  /** The name of that process. */
  readonly lender: string;
}

/** Of both kinds of messages. */
export const PartHeaders = z.object({
  /** Of one request for one part: its answer has the same. */
  request: z.uuid(),
});

/** The body of a request, sealed: only a holder of the master key is sent anything. */
export const PartRequest = z.strictObject({
  sha256: z.string().regex(/^[\da-f]{64}$/),
  /** Bytes before the part. */
  offset: z.int().nonnegative(),
  /** The worker that wants it. */
  worker: z.string(),
});
export type PartRequest = z.infer<typeof PartRequest>;

/** The body of an answer, sealed. Null: the file is not lent, or no longer. */
export const FilePart = z
  .strictObject({
    /** Of the whole file, in bytes. */
    total: z.int().nonnegative().max(FILE_BYTES_MAX),
    content: z.base64(),
  })
  .nullable();
export type FilePart = z.infer<typeof FilePart>;

export const requestPlace = (lender: string, request: string): string =>
  `file-request/${lender}/${request}`;
export const partPlace = (worker: string, request: string): string =>
  `file-part/${worker}/${request}`;
