import { type LogPlace } from './ports.js';

/** The keyword of the text of a PNG file that has the claim. */
export const CLAIM_KEYWORD = 'quipu-claim';
const FORMAT = 'quipu-image-claim/v1';

/** The statement of a picture about its origin. */
export interface ImageClaim {
  readonly requestId: string;
  /** From 1. */
  readonly image: number;
  readonly images: number;
  readonly engine: string;
  readonly width: number;
  readonly height: number;
  /** Of red, green and blue of each pixel, row by row. */
  readonly pixelsSha256: string;
  /** When it was made; null before the first checkpoint. */
  readonly log: LogPlace | null;
}

/** The text that is signed. */
export const claimText = (claim: ImageClaim): string =>
  [
    FORMAT,
    `request ${claim.requestId}`,
    `image ${claim.image} of ${claim.images}`,
    `engine ${claim.engine}`,
    `pixels ${claim.width}x${claim.height} ${claim.pixelsSha256}`,
    claim.log ? `log ${claim.log.size} ${claim.log.root}` : 'log none',
    '',
  ].join('\n');

/** The lines of a claim, by their first words. */
const LINES = [
  /^quipu-image-claim\/v1$/,
  /^request ([0-9a-f-]{36})$/,
  /^image (\d{1,3}) of (\d{1,3})$/,
  /^engine (\S{1,300})$/,
  /^pixels (\d{1,5})x(\d{1,5}) ([0-9a-f]{64})$/,
  /^log (?:none|(\d{1,15}) ([\w+/=]{1,64}))$/,
  /^$/,
] as const;

/** Null for a text that is no claim. */
export const parseClaim = (text: string): ImageClaim | null => {
  const lines = text.split('\n');
  const matches = LINES.map((line, at) => line.exec(lines[at] ?? 'missing'));
  if (lines.length !== LINES.length || matches.includes(null)) return null;
  const fields = matches.flatMap((match) => match?.slice(1) ?? []);
  const [requestId = '', image, images, engine = '', width, height, pixelsSha256 = ''] = fields;
  const [size, root] = fields.slice(7);
  return {
    requestId,
    image: Number(image),
    images: Number(images),
    engine,
    width: Number(width),
    height: Number(height),
    pixelsSha256,
    log: size === undefined || root === undefined ? null : { size: Number(size), root },
  };
};
