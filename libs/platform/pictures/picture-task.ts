import { hash } from 'node:crypto';
import { type Picture } from './picture.js';
import { decodePng } from './png-decoder.js';
import { encodePng } from './png-encoder.js';
import { resample } from './resample.js';

type Size = Pick<Picture, 'width' | 'height'>;

export type PictureTask =
  /** A PNG file of a size, from pixels. */
  | { readonly kind: 'encode'; readonly picture: Picture; readonly size: Size }
  /** The pixels of a PNG file, cut and resampled to a size; null: as they are. */
  | { readonly kind: 'decode'; readonly file: Uint8Array; readonly size: Size | null }
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
  return task.size ? resized(picture, task.size, 'cover') : picture;
};

export const pixelsSha256Of = ({ pixels }: Picture): string => hash('sha256', pixels);

const resized = (picture: Picture, size: Size, fit: 'whole' | 'cover'): Picture =>
  picture.width === size.width && picture.height === size.height
    ? picture
    : resample(picture, size, fit);
