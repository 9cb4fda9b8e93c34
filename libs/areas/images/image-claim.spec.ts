import { describe, expect, it } from '@jest/globals';
import { claimText, type ImageClaim, parseClaim } from './image-claim.js';

const CLAIM: ImageClaim = {
  requestId: '0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f',
  image: 2,
  images: 10,
  engine: `embedded:quipu-scenes@${'ab'.repeat(32)}`,
  width: 1_280,
  height: 720,
  pixelsSha256: 'cd'.repeat(32),
  log: { size: 12, root: 'cm9vdA+/==' },
};

describe('the claim of a picture', () => {
  it.each([CLAIM, { ...CLAIM, log: null, engine: 'upstream:openai' }])(
    'is read as it was written',
    (claim) => {
      expect(parseClaim(claimText(claim))).toEqual(claim);
    },
  );

  it.each([
    ['another format', claimText(CLAIM).replace('/v1', '/v2')],
    ['no end', claimText(CLAIM).slice(0, -1)],
    ['another line', `${claimText(CLAIM)}more\n`],
    ['a size without a root', claimText({ ...CLAIM, log: { size: 1, root: '' } })],
    ['nothing', ''],
  ])('is not a text with %s', (_, text) => {
    expect(parseClaim(text)).toBeNull();
  });
});
