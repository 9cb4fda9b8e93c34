import { Injectable } from '@nestjs/common';
import { FRAMES_METER } from '#events/vision/vision.meters.js';
import { PictureError } from '#platform/pictures/picture.js';
import { Pictures } from '#platform/pictures/pictures.js';
import { type ListedModel, type ModelSource } from '#platform/runtime/areas/model-source.js';
import { AccountTurns } from '#platform/runtime/commands/account-turns.js';
import { cutOf, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { outageOf, TaskError, type TaskOutage } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { VisionError } from './vision.errors.js';
import { FRAME_SIDE, type VisionEnd, visionEngine, type VisionTask } from './vision.engine.js';

export const EMBEDDED_DETECTOR = 'quipu-shapes';

/** Frames at once, of all accounts and of one. */
export const TURNS = { total: 16, perAccount: 4, reserve: 4, waitingMax: 32 };
/** Frames of which the speed of the engine is measured. */
const MEASURED_FRAMES = 64;

export interface LookOrder extends Pick<VisionTask, 'mode' | 'confidence' | 'overlap'> {
  readonly accountId: string;
  /** A PNG file. */
  readonly file: Uint8Array;
  /** The result of the look at the frame before. */
  readonly background: string | null;
}

/** Looks at frames, here or on workers. Accounts take turns. */
@Injectable()
export class Looker implements ModelSource {
  readonly #turns = new AccountTurns(TURNS, (options) => failureOf('busy', options));
  readonly #elapsedMs: number[] = [];

  constructor(
    private readonly tasks: Tasks,
    private readonly pictures: Pictures,
  ) {}

  readonly listedModels: readonly ListedModel[] = [
    {
      id: EMBEDDED_DETECTOR,
      createdEpochSeconds: 0,
      ownedBy: 'quipu',
      endpoints: ['/api/v1/stream/vision'],
      meters: [FRAMES_METER],
    },
  ];

  /** Frames a second that the engine computes, over the last ones; null before the first. */
  get framesPerSecond(): number | null {
    const totalMs = this.#elapsedMs.reduce((sum, elapsed) => sum + elapsed, 0);
    return totalMs > 0 ? (1_000 * this.#elapsedMs.length) / totalMs : null;
  }

  /** @throws PictureError for a file that cannot be read; VisionError; the reason of the signal */
  async look(order: LookOrder, signal: AbortSignal): Promise<VisionEnd> {
    const look = async () => this.#run(await this.#taskOf(order, signal), signal);
    const end = await this.#turns.run(order.accountId, look, signal);
    this.#elapsedMs.push(end.elapsedMs);
    if (this.#elapsedMs.length > MEASURED_FRAMES) this.#elapsedMs.shift();
    return end;
  }

  async #taskOf(order: LookOrder, signal: AbortSignal): Promise<VisionTask> {
    const { file, mode, confidence, overlap, background } = order;
    try {
      const { width, height, pixels } = await this.pictures.thread.scale(file, FRAME_SIDE, signal);
      const base64 = Buffer.from(pixels).toString('base64');
      return { mode, width, height, pixels: base64, confidence, overlap, background };
    } catch (error) {
      const isLost =
        error instanceof PictureError && (error.code === 'crashed' || error.code === 'closed');
      throw isLost ? failureOf('failed', { cause: error }) : error;
    }
  }

  async #run(task: VisionTask, signal: AbortSignal): Promise<VisionEnd> {
    try {
      const { value } = await this.tasks.run(visionEngine, task, signal).next();
      if (value === null) throw cutOf(signal) ?? new RequestCutError('shut_down');
      return value;
    } catch (error) {
      if (error instanceof TaskError) throw failureOf(outageOf(error), { cause: error });
      throw error;
    }
  }
}

const MESSAGES: Readonly<Record<TaskOutage, string>> = {
  busy: 'too many frames wait; try again',
  away: 'no process can look at a frame now; try again',
  failed: 'the frame could not be looked at',
};

const failureOf = (outage: TaskOutage, options?: ErrorOptions): VisionError =>
  new VisionError(outage, MESSAGES[outage], options);
