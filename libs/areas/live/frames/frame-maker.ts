import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { PictureError } from '#platform/pictures/picture.js';
import { PictureThread } from '#platform/pictures/picture-thread.js';
import { outageOf, TaskError, type TaskOutage } from '#platform/tasks/task.error.js';
import { reject } from '../live.errors.js';
import { LiveError } from '../live.failures.js';
import { FrameEngine } from '../ports.js';
import {
  IMAGE_SIDE,
  type ImageTask,
  type ReadPrompt,
  SEED_MAX,
  sceneOf,
} from '../scenes.engine.js';

export const EMBEDDED_MODEL = 'quipu-scenes';
/** The model of a request that names none. */
export const MODEL_DEFAULT = 'sdxl-turbo';

/** @throws LiveError `model` */
export const demandModel = (model: string | null): void => {
  if (model === null || model === MODEL_DEFAULT || model === EMBEDDED_MODEL) return;
  const detail = `model: nothing here serves ${model}; the embedded model is ${EMBEDDED_MODEL}`;
  throw new LiveError('model', detail);
};

export interface FrameOrder {
  readonly prompt: ReadPrompt;
  /** Of the session: the parts of a scene that the prompt leaves open stay the same. */
  readonly sceneSeed: number;
  /** Of the noise of this frame. */
  readonly frame: number;
  readonly guidance: number;
  /** How far the frame may leave the frame before. */
  readonly strength: number;
  readonly steps: number;
  /** The pixels to start from, in base64; null: from noise. */
  readonly start: string | null;
  readonly width: number;
  readonly height: number;
  readonly rig: string;
}

export interface MadeFrame {
  /** The pixels of the network, in base64. */
  readonly pixels: string;
  /** The PNG file, resampled to the size of the session. */
  readonly file: Uint8Array;
  readonly engine: string;
  /** Of the network alone. */
  readonly inferenceMs: number;
}

/** Draws frames and writes their files, on threads and workers of their own. */
@Injectable()
export class FrameMaker implements OnModuleDestroy {
  readonly #pictures = new PictureThread();

  constructor(@Inject(FrameEngine) private readonly engine: FrameEngine) {}

  onModuleDestroy(): Promise<void> {
    return this.#pictures.close();
  }

  /** @throws LiveError; the reason of the signal */
  async make(order: FrameOrder, signal: AbortSignal): Promise<MadeFrame> {
    const { start, width, height, strength, steps, guidance } = order;
    const task: ImageTask = {
      scene: sceneOf(order.prompt.stated, order.sceneSeed),
      seed: (order.sceneSeed + order.frame) % (SEED_MAX + 1),
      steps,
      guidance,
      start: start === null ? null : { pixels: start, strength },
    };
    const { pixels, weightsSha256, elapsedMs } = await this.#draw(task, order.rig, signal);
    const size = { width: IMAGE_SIDE, height: IMAGE_SIDE };
    const picture = { ...size, pixels: Buffer.from(pixels, 'base64') };
    const { file } = await this.#pictures
      .encode(picture, { width, height }, signal)
      .catch((error: unknown) => {
        const isPicture = error instanceof PictureError;
        throw isPicture ? failureOf('failed', { cause: error }) : error;
      });
    const engine = `embedded:${EMBEDDED_MODEL}@${weightsSha256}`;
    return { pixels, file, engine, inferenceMs: elapsedMs };
  }

  /** The pixels of a PNG file for the network, in base64. @throws DomainError */
  async read(file: Uint8Array, signal: AbortSignal): Promise<string> {
    try {
      const size = { width: IMAGE_SIDE, height: IMAGE_SIDE };
      const { pixels } = await this.#pictures.decode(file, size, signal);
      return Buffer.from(pixels).toString('base64');
    } catch (error) {
      if (!(error instanceof PictureError)) throw error;
      if (error.code === 'crashed' || error.code === 'closed')
        throw failureOf('failed', { cause: error });
      return reject('live_image_unreadable', `image_png_base64: ${error.message}`);
    }
  }

  async #draw(task: ImageTask, rig: string, signal: AbortSignal) {
    try {
      const end = await this.engine.draw(task, rig, signal);
      if (end) return end;
    } catch (error) {
      throw error instanceof TaskError ? failureOf(outageOf(error), { cause: error }) : error;
    }
    signal.throwIfAborted();
    throw new LiveError('away', 'the process that draws frames is closing; try again');
  }
}

const MESSAGES: Readonly<Record<TaskOutage, string>> = {
  busy: 'too many frames wait; try again',
  away: 'no process can draw a frame now; try again',
  failed: 'the frame could not be drawn',
};

const failureOf = (outage: TaskOutage, options?: ErrorOptions): LiveError =>
  new LiveError(outage, MESSAGES[outage], options);
