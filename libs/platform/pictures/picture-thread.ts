import { TaskThread } from '../threads/task-thread.js';
import { type Picture, PictureError, type PictureErrorCode } from './picture.js';
import {
  type EncodedPicture,
  type MeasuredPicture,
  type PictureEnd,
  type PictureTask,
} from './picture-task.js';

/** Reads and writes PNG files on a thread of its own, which starts with the first of them. */
export class PictureThread {
  readonly #thread = new TaskThread<PictureTask, PictureEnd, PictureErrorCode>(
    new URL('./picture.worker.js', import.meta.url),
    PictureError,
  );

  /** @throws PictureError `crashed`, `closed` */
  async encode(
    picture: Picture,
    size: Pick<Picture, 'width' | 'height'>,
    signal: AbortSignal,
  ): Promise<EncodedPicture> {
    return (await this.#thread.run({ kind: 'encode', picture, size }, signal)) as EncodedPicture;
  }

  /** @throws PictureError */
  async decode(
    file: Uint8Array,
    size: Pick<Picture, 'width' | 'height'> | null,
    signal: AbortSignal,
  ): Promise<Picture> {
    return (await this.#thread.run({ kind: 'decode', file, size }, signal)) as Picture;
  }

  /** @throws PictureError */
  async scale(file: Uint8Array, side: number, signal: AbortSignal): Promise<Picture> {
    return (await this.#thread.run({ kind: 'scale', file, side }, signal)) as Picture;
  }

  /** @throws PictureError */
  async measure(file: Uint8Array, signal: AbortSignal): Promise<MeasuredPicture> {
    return (await this.#thread.run({ kind: 'measure', file }, signal)) as MeasuredPicture;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
