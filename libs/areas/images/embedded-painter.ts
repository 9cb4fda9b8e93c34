import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PictureError } from '#platform/pictures/picture.js';
import { AccountTurns } from '#platform/runtime/commands/account-turns.js';
import { cutOf, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { outageOf, TaskError, type TaskOutage } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { IMAGE_SIDE, imagesEngine, type ImageTask } from './images.engine.js';
import { readPrompt, revisedPrompt, sceneOf, SEED_MAX } from './images.engine.js';
import { ImagesError, reject } from './images.errors.js';
import { type Painted, type Painter, type PaintOrder } from './painter.js';
import { Pictures } from '#platform/pictures/pictures.js';

export const EMBEDDED_MODEL = 'quipu-scenes';

/** Pictures at once, of all accounts and of one. */
const TURNS = { total: 8, perAccount: 2, reserve: 4, waitingMax: 16, waitMsMax: 10_000 };

/** Draws with the embedded model, here or on workers. Accounts take turns. */
@Injectable()
export class EmbeddedPainter implements Painter {
  readonly engine = `embedded:${EMBEDDED_MODEL}`;
  readonly model = EMBEDDED_MODEL;
  readonly isEmbedded = true;
  readonly side = IMAGE_SIDE;
  readonly #turns = new AccountTurns(TURNS, (options) => failureOf('busy', options));

  constructor(
    private readonly tasks: Tasks,
    private readonly pictures: Pictures,
  ) {}

  check({ asked }: PaintOrder): void {
    const [name] = Object.keys(asked.others);
    if (name === undefined) return;
    reject('image_field_unsupported', `${name}: the model ${EMBEDDED_MODEL} has no such field`);
  }

  async *paint(order: PaintOrder, signal: AbortSignal): AsyncGenerator<Painted, void, void> {
    const { asked, accountId } = order;
    const start = order.start && (await this.#startOf(order.start, asked.strength, signal));
    const read = readPrompt(asked.prompt);
    const firstSeed = asked.seed ?? randomInt(SEED_MAX - asked.images);
    for (let image = 0; image < asked.images; image += 1) {
      const seed = (firstSeed + image) % (SEED_MAX + 1);
      const scene = sceneOf(read.stated, seed);
      const { steps, guidance } = asked;
      const task: ImageTask = { scene, seed, steps, guidance, start };
      const { pixels, weightsSha256 } = await this.#draw(accountId, task, signal);
      const size = { side: IMAGE_SIDE, ...asked.size };
      yield {
        engine: `${this.engine}@${weightsSha256}`,
        revisedPrompt: revisedPrompt(read, scene, { model: EMBEDDED_MODEL, ...size }),
        seed,
        made: { width: IMAGE_SIDE, height: IMAGE_SIDE, pixels: Buffer.from(pixels, 'base64') },
      };
    }
  }

  /** @throws DomainError for a file that cannot be read */
  async #startOf(
    file: Uint8Array,
    strength: number,
    signal: AbortSignal,
  ): Promise<NonNullable<ImageTask['start']>> {
    try {
      const size = { width: IMAGE_SIDE, height: IMAGE_SIDE };
      const { pixels } = await this.pictures.thread.decode(file, size, signal);
      return { pixels: Buffer.from(pixels).toString('base64'), strength };
    } catch (error) {
      if (!(error instanceof PictureError)) throw error;
      const { code, message } = error;
      if (code === 'crashed' || code === 'closed') throw failureOf('failed', { cause: error });
      return reject('image_unreadable', `image: ${message}`);
    }
  }

  /** @throws ImagesError; the reason of the signal */
  #draw(accountId: string, task: ImageTask, signal: AbortSignal) {
    const draw = async () => {
      try {
        const { value } = await this.tasks.run(imagesEngine, task, signal).next();
        if (value !== null) return value;
      } catch (error) {
        if (error instanceof TaskError) throw failureOf(outageOf(error), { cause: error });
        throw error;
      }
      throw cutOf(signal) ?? new RequestCutError('shut_down');
    };
    return this.#turns.run(accountId, draw, signal);
  }
}

const MESSAGES: Readonly<Record<TaskOutage, string>> = {
  busy: 'too many pictures wait; try again',
  away: 'no process can draw a picture now; try again',
  failed: 'the picture could not be drawn',
};

const failureOf = (outage: TaskOutage, options?: ErrorOptions): ImagesError =>
  new ImagesError(outage, MESSAGES[outage], options);
