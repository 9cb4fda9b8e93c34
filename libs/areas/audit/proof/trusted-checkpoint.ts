import { type VerifiedCheckpoint, verifyCheckpoint } from '#platform/audit/checkpoint.js';
import {
  encodeVerifierKey,
  NoteError,
  parseVerifierKey,
  type VerifierKey,
} from '#platform/audit/signed-note.js';
import { demand, ProofError } from './proof.error.js';

/** The keys that a verifier knows. */
export interface Trust {
  /** The verifier key of the log, known from elsewhere; by default the key of the archive. */
  readonly key?: string;
  /** The verifier keys of witnesses. */
  readonly witnesses?: readonly string[];
  /** How many of them must have cosigned. Default: all. */
  readonly quorum?: number;
}

/** As an archive has it. */
export interface ArchivedCheckpoint {
  /** A signed note. */
  readonly checkpoint: string;
  /** As the archive says; a verifier should know the key from elsewhere. */
  readonly key: string;
}

/** @throws ProofError for another log, a wrong signature or too few witnesses */
export const trustedCheckpoint = (
  archived: ArchivedCheckpoint,
  trust: Trust,
): VerifiedCheckpoint => {
  const witnesses = (trust.witnesses ?? []).map(keyOf);
  const log = logKeyOf(archived, trust);
  const checkpoint = orProofError(() => verifyCheckpoint(archived.checkpoint, log, witnesses));
  const quorum = trust.quorum ?? witnesses.length;
  demand(
    checkpoint.witnesses.length >= quorum,
    `${checkpoint.witnesses.length} of the witnesses have cosigned, and ${quorum} must have`,
  );
  return checkpoint;
};

/** The lines of a report about the checkpoint, which is proved. */
export const trusted = ({ origin, size, witnesses }: VerifiedCheckpoint): readonly string[] => [
  `the log ${origin} has signed the checkpoint of ${size} events`,
  ...witnesses.map(({ name }) => `the witness ${name} has cosigned it`),
];

/** The lines of a report about the checkpoint that nothing proves. */
export const untrusted = ({ witnesses }: VerifiedCheckpoint, { key }: Trust): readonly string[] => [
  ...(key === undefined
    ? ['that the key in the archive belongs to the operator: compare it, or pass --key']
    : []),
  ...(witnesses.length === 0
    ? ['that others are shown the same log: no known witness has cosigned the checkpoint']
    : []),
];

/** An archive that names another key than the known one was made for another log. */
const logKeyOf = ({ key }: ArchivedCheckpoint, { key: known = key }: Trust): VerifierKey => {
  const [stated, trustedKey] = [keyOf(key), keyOf(known)];
  demand(
    encodeVerifierKey(stated) === encodeVerifierKey(trustedKey),
    `the key of the log in the archive is ${encodeVerifierKey(stated)}, ` +
      `and the known one is ${encodeVerifierKey(trustedKey)}`,
  );
  return trustedKey;
};

const keyOf = (text: string): VerifierKey => orProofError(() => parseVerifierKey(text));

const orProofError = <Result>(work: () => Result): Result => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    throw new ProofError(error.message, { cause: error });
  }
};
