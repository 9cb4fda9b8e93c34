import { parseTreeSize } from './checkpoint.js';
import { HASH_BYTES, PROOF_HASHES_MAX } from './merkle.js';
import { fromBase64, NoteError } from './signed-note.js';

/** An inclusion proof with its checkpoint, as text, by C2SP tlog-proof. */
export interface TlogProof {
  readonly index: number;
  readonly hashes: readonly Buffer[];
  /** A signed note. */
  readonly checkpoint: string;
}

const FORMAT = 'c2sp.org/tlog-proof@v1';

/** Hashes as lines of base64. */
export const hashLines = (hashes: readonly Buffer[]): string =>
  hashes.map((one) => `${one.toString('base64')}\n`).join('');

export const formatProof = ({ index, hashes, checkpoint }: TlogProof): string =>
  `${FORMAT}\nindex ${index}\n${hashLines(hashes)}\n${checkpoint}`;

/** @throws NoteError */
export const parseProof = (text: string): TlogProof => {
  const at = text.indexOf('\n\n');
  const [format, ...lines] = at < 0 ? [] : text.slice(0, at).split('\n');
  if (format !== FORMAT) throw new NoteError(`a proof begins with ${FORMAT}`);
  // Extra data is not authenticated, and nothing here uses it.
  if (lines[0]?.startsWith('extra ') === true) {
    if (fromBase64(lines[0].slice('extra '.length)) === undefined) {
      throw new NoteError('the extra data of the proof is not base64');
    }
    lines.shift();
  }
  const [indexLine = '', ...hashTexts] = lines;
  const index = indexLine.startsWith('index ')
    ? parseTreeSize(indexLine.slice('index '.length))
    : undefined;
  if (index === undefined) throw new NoteError('the proof has no index');
  return { index, hashes: hashTexts.map(parseHash), checkpoint: text.slice(at + 2) };
};

const parseHash = (text: string, count: number): Buffer => {
  const hash = fromBase64(text);
  if (hash?.length !== HASH_BYTES || count >= PROOF_HASHES_MAX) {
    throw new NoteError('the proof has a line that is no hash');
  }
  return hash;
};
