/** Red, green and blue of each pixel, row by row. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

export const COLOURS = 3;

export type PictureErrorCode =
  'not_a_png' | 'picture_damaged' | 'picture_unsupported' | 'picture_too_large';

/** A file that is not read. */
export class PictureError extends Error {
  override readonly name = 'PictureError';

  constructor(
    readonly code: PictureErrorCode | 'crashed' | 'closed',
    message: string,
  ) {
    super(message);
  }
}
