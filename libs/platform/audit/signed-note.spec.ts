import { describe, expect, it } from '@jest/globals';
import { checkpointText, parseCheckpoint, verifyCheckpoint } from './checkpoint.js';
import { EMPTY_ROOT, leafHashOf } from './merkle.js';
import {
  ED25519_COSIGNATURE,
  encodeVerifierKey,
  NoteError,
  NoteSigner,
  parseNote,
  parseSignatures,
  parseVerifierKey,
  signersOf,
} from './signed-note.js';
import { formatProof, parseProof } from './tlog-proof.js';

/** The example of C2SP signed-note. */
const EXAMPLE = {
  key: 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
  note:
    'This is an example message.\n\n— example.com/foo ' +
    'Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXm' +
    'RKuwHjG1Yu72IneyaQM=\n',
};

/** The example of Go's `golang.org/x/mod/sumdb/note`. */
const GO_EXAMPLE = {
  key: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  note:
    'If you think cryptography is the answer to your problem,\n' +
    "then you don't know what your problem is.\n\n— PeterNeumann " +
    'x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdng' +
    'otpRZb6KE6RyyBwJnAM=\n',
};

const SEED = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex');
const WITNESS_SEED = Buffer.alloc(32, 7);
const ORIGIN = 'quipu.example/audit';

const signer = new NoteSigner(ORIGIN, SEED);
const witness = new NoteSigner('witness.example/w1', WITNESS_SEED, ED25519_COSIGNATURE);
const text = checkpointText({ origin: ORIGIN, size: 3, root: leafHashOf(Buffer.from('three')) });
const note = `${text}\n${signer.sign(text)}${witness.sign(text, 1_679_315_147)}`;

describe('signed notes', () => {
  it.each([EXAMPLE, GO_EXAMPLE])('verifies the published example $key', ({ key, note: given }) => {
    const known = parseVerifierKey(key);
    expect(encodeVerifierKey(known)).toBe(key);
    expect(signersOf(parseNote(given), [known])).toEqual([known]);
    const changed = given.replace('is', 'as');
    expect(() => signersOf(parseNote(changed), [known])).toThrow('the signature of');
  });

  it('signs as the key of a seed, always the same', () => {
    expect(encodeVerifierKey(signer.key)).toBe(encodeVerifierKey(new NoteSigner(ORIGIN, SEED).key));
    expect(signer.sign(text)).toBe(signer.sign(text));
    expect(parseVerifierKey(encodeVerifierKey(witness.key))).toMatchObject({
      name: 'witness.example/w1',
      type: ED25519_COSIGNATURE,
    });
  });

  it('verifies a checkpoint of the log and the cosignatures of known witnesses', () => {
    expect(verifyCheckpoint(note, signer.key)).toMatchObject({ size: 3, witnesses: [] });
    const { witnesses } = verifyCheckpoint(note, signer.key, [witness.key]);
    expect(witnesses).toEqual([witness.key]);
  });

  it('rejects a checkpoint of another log, unsigned, or signed by another key', () => {
    const other = new NoteSigner('elsewhere.example', SEED);
    expect(() => verifyCheckpoint(note, other.key)).toThrow('not of elsewhere.example');
    const unsigned = `${text}\n${witness.sign(text, 1)}`;
    expect(() => verifyCheckpoint(unsigned, signer.key)).toThrow('has not signed');
    const unknown = new NoteSigner(ORIGIN, WITNESS_SEED);
    expect(() => verifyCheckpoint(`${text}\n${unknown.sign(text)}`, signer.key)).toThrow(
      'has not signed',
    );
  });

  it('rejects every note with one bit flipped, or keeps nothing that it changed', () => {
    const bytes = Buffer.from(note);
    const { root } = verifyCheckpoint(note, signer.key, [witness.key]);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      let verified;
      try {
        verified = verifyCheckpoint(changed.toString(), signer.key, [witness.key]);
      } catch (error) {
        expect(error).toBeInstanceOf(NoteError);
        continue;
      }
      // A changed name or key id belongs to an unknown signer, whose signature is ignored.
      expect(verified).toMatchObject({ size: 3, root, witnesses: [] });
    }
  });

  it.each([
    ['no signature', 'text\n'],
    ['no line break at the end', note.slice(0, -1)],
    ['a control character', note.replace('3', '\t3')],
    ['another dash', note.replaceAll('—', '-')],
    ['base64 that is not canonical', note.replace(/=\n$/, '\n')],
    ['half a surrogate pair', `${text}\n${signer.sign(text)}— a\ud800 AAAAAAAA\n`],
  ])('rejects a note with %s', (_, bad) => {
    expect(() => parseNote(bad)).toThrow(NoteError);
  });

  it.each([
    '',
    'name',
    'na me+00000000+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
    'example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
    'example.com/foo+530d903a+AukyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
    'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U',
  ])('rejects %j as a key', (bad) => {
    expect(() => parseVerifierKey(bad)).toThrow(NoteError);
  });

  it('reads the signature lines of a witness alone', () => {
    const [line] = parseSignatures(witness.sign(text, 5));
    expect(line).toMatchObject({ name: 'witness.example/w1', id: witness.key.id });
    expect(() => parseSignatures('nothing')).toThrow(NoteError);
  });
});

describe('checkpoints', () => {
  it.each([
    ['a size with a leading zero', `${ORIGIN}\n03\n${EMPTY_ROOT.toString('base64')}\n`],
    ['a size above 2^53', `${ORIGIN}\n9007199254740993\n${EMPTY_ROOT.toString('base64')}\n`],
    ['a short root', `${ORIGIN}\n3\nAAAA\n`],
    ['no origin', `\n3\n${EMPTY_ROOT.toString('base64')}\n`],
    ['an empty extension line', `${ORIGIN}\n3\n${EMPTY_ROOT.toString('base64')}\n\n`],
  ])('rejects %s', (_, bad) => {
    expect(() => parseCheckpoint(bad)).toThrow(NoteError);
  });

  it('passes over extension lines', () => {
    const checkpoint = { origin: ORIGIN, size: 0, root: EMPTY_ROOT };
    expect(parseCheckpoint(`${checkpointText(checkpoint)}more\n`)).toEqual(checkpoint);
  });
});

describe('proofs as text', () => {
  const proof = { index: 1, hashes: [EMPTY_ROOT, leafHashOf(Buffer.from('x'))], checkpoint: note };

  it('are read as they were written', () => {
    expect(parseProof(formatProof(proof))).toEqual(proof);
    const first = { index: 0, hashes: [], checkpoint: note };
    expect(parseProof(formatProof(first))).toEqual(first);
  });

  it('may have extra data, which is not used', () => {
    const extra = formatProof(proof).replace('\n', '\nextra cXVpcHU=\n');
    expect(parseProof(extra)).toEqual(proof);
    expect(() => parseProof(extra.replace('cXVpcHU=', '???'))).toThrow(NoteError);
  });

  it.each([
    ['another first line', formatProof(proof).replace('@v1', '@v2')],
    ['no index', formatProof(proof).replace('index 1\n', '')],
    ['an index with a leading zero', formatProof(proof).replace('index 1', 'index 01')],
    ['a short hash', formatProof({ ...proof, hashes: [Buffer.alloc(31)] })],
    ['too many hashes', formatProof({ ...proof, hashes: Array(65).fill(EMPTY_ROOT) as Buffer[] })],
    ['nothing', ''],
  ])('are rejected with %s', (_, bad) => {
    expect(() => parseProof(bad)).toThrow(NoteError);
  });
});
