import { HASH_BYTES } from './merkle.js';
import {
  fromBase64,
  NoteError,
  parseNote,
  type SignedNote,
  signersOf,
  type VerifierKey,
} from './signed-note.js';

/** A checkpoint of C2SP tlog-checkpoint: the size and the root of a tree, which its log signs. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

const SIZE = /^(0|[1-9]\d{0,15})$/;

/** The text that is signed. */
export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

export const parseTreeSize = (text: string): number | undefined => {
  const size = SIZE.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(size) ? size : undefined;
};

/**
 * Extension lines after the third are passed over; the signature covers them.
 * @throws NoteError
 */
export const parseCheckpoint = (text: string): Checkpoint => {
  const [origin = '', sizeText = '', rootText = '', ...rest] = text.split('\n');
  const size = parseTreeSize(sizeText);
  const root = fromBase64(rootText);
  const hasEnd = rest.at(-1) === '' && !rest.slice(0, -1).includes('');
  if (origin === '' || size === undefined || root?.length !== HASH_BYTES || !hasEnd) {
    throw new NoteError('a checkpoint is an origin, a tree size and a root hash, each on a line');
  }
  return { origin, size, root };
};

export interface VerifiedCheckpoint extends Checkpoint {
  readonly note: SignedNote;
  /** The known witnesses that have cosigned it. */
  readonly witnesses: readonly VerifierKey[];
}

/**
 * A checkpoint that the log has signed. The name of the key is the origin.
 * @throws NoteError for a note of another log, without its signature, or with a wrong one
 */
export const verifyCheckpoint = (
  note: string,
  log: VerifierKey,
  witnesses: readonly VerifierKey[] = [],
): VerifiedCheckpoint => {
  const parsed = parseNote(note);
  const checkpoint = parseCheckpoint(parsed.text);
  if (checkpoint.origin !== log.name) {
    throw new NoteError(`the checkpoint is of ${checkpoint.origin}, not of ${log.name}`);
  }
  const signers = signersOf(parsed, [log, ...witnesses]);
  if (!signers.includes(log)) throw new NoteError(`${log.name} has not signed the checkpoint`);
  return { ...checkpoint, note: parsed, witnesses: signers.filter((one) => one !== log) };
};
