import { describe, expect, it } from '@jest/globals';
import { checkpointText } from '#platform/audit/checkpoint.js';
import { Frontier } from '#platform/audit/frontier.js';
import { inclusionRanges, leafHashOf } from '#platform/audit/merkle.js';
import { encodeVerifierKey, NoteSigner } from '#platform/audit/signed-note.js';
import { formatProof } from '#platform/audit/tlog-proof.js';
import { checkProof, type ProofClaim } from './inclusion-proof.js';

const ORIGIN = 'quipu.example/log';
const signer = new NoteSigner(ORIGIN, Buffer.alloc(32, 7));
const other = new NoteSigner(ORIGIN, Buffer.alloc(32, 8));

const eventOf = (index: number): Buffer => Buffer.from(`event ${index}`);

const rootOf = (begin: number, end: number): Buffer => {
  const frontier = new Frontier();
  for (let index = begin; index < end; index += 1) frontier.push(leafHashOf(eventOf(index)));
  return frontier.root();
};

/** As the gateway proves it, which computes with other code. */
const claimOf = (index: number, size: number, signedBy = signer): ProofClaim => {
  const text = checkpointText({ origin: ORIGIN, size, root: rootOf(0, size) });
  const hashes = inclusionRanges(index, size).map(({ begin, end }) => rootOf(begin, end));
  return {
    encoding: eventOf(index).toString('base64'),
    proof: formatProof({ index, hashes, checkpoint: `${text}\n${signedBy.sign(text)}` }),
    verifierKey: encodeVerifierKey(signer.key),
  };
};

describe('an inclusion proof in the browser', () => {
  it('holds for every leaf of trees of every shape', async () => {
    for (let size = 1; size <= 17; size += 1) {
      for (let index = 0; index < size; index += 1) {
        const verdict = await checkProof(claimOf(index, size));
        expect(verdict).toEqual({ isIncluded: true, isSigned: true, size: String(size) });
      }
    }
  });

  it('does not hold for an event that was changed', async () => {
    const claim = { ...claimOf(5, 11), encoding: eventOf(6).toString('base64') };
    expect(await checkProof(claim)).toMatchObject({ isIncluded: false, isSigned: true });
  });

  it.each([
    ['another index', (proof: string) => proof.replace('index 5', 'index 6')],
    ['an index beyond the tree', (proof: string) => proof.replace('index 5', 'index 11')],
    ['a hash less', (proof: string) => proof.replace(/\n[\w+/]{43}=\n/, '\n')],
    ['a hash more', (proof: string) => proof.replace(/\n([\w+/]{43}=)\n/, '\n$1\n$1\n')],
  ])('does not hold with %s', async (_, change) => {
    const claim = claimOf(5, 11);
    const changed = { ...claim, proof: change(claim.proof) };
    expect(changed.proof).not.toBe(claim.proof);
    expect(await checkProof(changed)).toMatchObject({ isIncluded: false, isSigned: true });
  });

  it('is not signed by another key, nor for another text', async () => {
    expect(await checkProof(claimOf(5, 11, other))).toMatchObject({ isSigned: false });
    const claim = claimOf(5, 11);
    const proof = claim.proof.replace(`${ORIGIN}\n11\n`, `${ORIGIN}\n12\n`);
    expect(await checkProof({ ...claim, proof })).toMatchObject({ isSigned: false });
  });

  it.each([
    '',
    'c2sp.org/tlog-proof@v2\nindex 5\n\n',
    'c2sp.org/tlog-proof@v1\nindex -1\n\n',
    'c2sp.org/tlog-proof@v1\nindex 5\nAAAA\n\n',
    'c2sp.org/tlog-proof@v1\nindex 5\n\norigin\nmany\n',
  ])('is rejected as a text: %j', async (proof) => {
    await expect(checkProof({ ...claimOf(5, 11), proof })).rejects.toThrow('This is no proof');
  });
});
