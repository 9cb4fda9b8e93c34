import { hash } from 'node:crypto';
import { type Picture } from './picture.js';
import { decodePng } from './png-decoder.js';
import { encodePng } from './png-encoder.js';
import { resample } from './resample.js';

type Size = Pick<Picture, 'width' | 'height'>;

/** Of a picture that is scaled: a line of pixels is continued to this width. */
export const SIDE_LEAST = 8;

export type PictureTask =
  /** A PNG file of a size, from pixels. */
  | { readonly kind: 'encode'; readonly picture: Picture; readonly size: Size }
  /** The pixels of a PNG file, cut and resampled to a size; null: as they are. */
  | { readonly kind: 'decode'; readonly file: Uint8Array; readonly size: Size | null }
  /** All of a PNG file, its longer side resampled to a number of pixels. */
  | { readonly kind: 'scale'; readonly file: Uint8Array; readonly side: number }
  /** The size of a PNG file, and the hash of its pixels. */
  | { readonly kind: 'measure'; readonly file: Uint8Array };

export interface EncodedPicture {
  readonly file: Uint8Array;
  /** Of the pixels in the file: red, green and blue, row by row. */
  readonly pixelsSha256: string;
}

export interface MeasuredPicture extends Size {
  readonly pixelsSha256: string;
}

export type PictureEnd = EncodedPicture | MeasuredPicture | Picture;

/** @throws PictureError */
export const runPictureTask = (task: PictureTask): PictureEnd => {
  if (task.kind === 'encode') {
    const picture = resized(task.picture, task.size, 'whole');
    return { file: encodePng(picture), pixelsSha256: pixelsSha256Of(picture) };
  }
  const picture = decodePng(Buffer.from(task.file));
  if (task.kind === 'measure') {
    const { width, height } = picture;
    return { width, height, pixelsSha256: pixelsSha256Of(picture) };
  }
  if (task.kind === 'scale') return resized(picture, scaledSize(picture, task.side), 'whole');
  return task.size ? resized(picture, task.size, 'cover') : picture;
};

/** The longer side becomes `side`; the shorter one keeps the shape, and a least size. */
const scaledSize = ({ width, height }: Size, side: number): Size => {
  const scale = side / Math.max(width, height);
  const sized = (pixels: number): number => Math.max(SIDE_LEAST, Math.round(pixels * scale));
  return { width: sized(width), height: sized(height) };
};

export const pixelsSha256Of = ({ pixels }: Picture): string => hash('sha256', pixels);

const resized = (picture: Picture, size: Size, fit: 'whole' | 'cover'): Picture =>
  picture.width === size.width && picture.height === size.height
    ? picture
    : resample(picture, size, fit);
