import { z } from 'zod';

/**
 * A backup is a folder:
 *
 *     backup.json    what is in it and what was checked; written last
 *     SHA256SUMS     of every other file, as `sha256sum --check` reads it
 *     events.db, subject-keys.db, audit.db, answers.db, views.db
 *     blobs/         blobs and their references
 */
export const MANIFEST = 'backup.json';
export const CHECKSUMS = 'SHA256SUMS';
export const BLOBS = 'blobs';

/**
 * In the order in which they are copied. What rests on the log is copied before it: a checkpoint
 * that was published, an answer or a read model never knows an event that the copy lacks. The keys
 * of subjects come after it: none is missing that an event of the copy was sealed with.
 */
export const STORES = ['checkpoints', 'answers', 'readModels', 'log', 'subjectKeys'] as const;
export type StoreName = (typeof STORES)[number];

export const FILE_OF: Readonly<Record<StoreName, string>> = {
  checkpoints: 'audit.db',
  answers: 'answers.db',
  readModels: 'views.db',
  log: 'events.db',
  subjectKeys: 'subject-keys.db',
};

/** Where the stores of an installation are that are files; a store on a server is absent. */
export type StoreFiles = Readonly<Partial<Record<StoreName, string>>>;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const Manifest = z.strictObject({
  format: z.literal(1),
  createdAt: z.iso.datetime(),
  /** Opens the backup; it is not in it. Null where the log is on a server. */
  masterKeyId: z.string().nullable(),
  files: z.array(z.enum(STORES)),
  /** Null where the log is on a server. */
  log: z
    .strictObject({
      events: z.int().nonnegative(),
      position: z.string(),
      /** Of the Merkle tree of its events. */
      root: Sha256.nullable(),
    })
    .nullable(),
  /** Null where they were left out. */
  blobs: z.strictObject({ count: z.int().nonnegative(), bytes: z.int().nonnegative() }).nullable(),
});
export type Manifest = z.infer<typeof Manifest>;
