import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { type UpstreamModel } from '#platform/runtime/areas/upstreams-file.js';
import { SEED_MAX } from '../images.engine.js';
import { ImagesError, reject } from '../images.errors.js';
import { type Painted, type Painter, type PaintOrder } from '../painter.js';
import { type ImageUpstream } from './image-upstreams.file.js';
import { askUpstream } from './upstream-request.js';

const Answer = z.object({ images: z.array(z.base64()).min(1) });

/** The web interface of Stable Diffusion by AUTOMATIC1111, and its forks, started with `--api`. */
export class Automatic1111Painter implements Painter {
  readonly engine = 'upstream:automatic1111';
  readonly isEmbedded = false;
  readonly side = null;
  readonly model: string;

  constructor(
    private readonly upstream: ImageUpstream,
    private readonly served: UpstreamModel,
  ) {
    this.model = served.id;
  }

  check({ asked }: PaintOrder): void {
    const [name] = Object.keys(asked.others);
    if (name === undefined) return;
    reject('image_field_unsupported', `${name}: the interface of ${this.model} has no such field`);
  }

  /** One request for each picture, so that each has its seed. */
  async *paint(order: PaintOrder, signal: AbortSignal): AsyncGenerator<Painted, void, void> {
    const { asked, start } = order;
    const firstSeed = asked.seed ?? randomInt(SEED_MAX - asked.images);
    for (let image = 0; image < asked.images; image += 1) {
      const seed = (firstSeed + image) % (SEED_MAX + 1);
      const path = start ? '/sdapi/v1/img2img' : '/sdapi/v1/txt2img';
      const answer = await askUpstream(this.upstream, path, this.#fieldsOf(order, seed), signal);
      const parsed = Answer.safeParse(answer);
      const [first] = parsed.data?.images ?? [];
      if (first === undefined) {
        throw new ImagesError('failed', 'the upstream sent no picture in base64');
      }
      const made = { file: Buffer.from(first, 'base64') };
      yield { engine: this.engine, revisedPrompt: null, seed, made };
    }
  }

  #fieldsOf({ asked, start }: PaintOrder, seed: number): Readonly<Record<string, unknown>> {
    const { upstream_id: checkpoint } = this.served;
    return {
      prompt: asked.prompt,
      ...asked.size,
      steps: asked.steps,
      cfg_scale: asked.guidance,
      seed,
      batch_size: 1,
      n_iter: 1,
      ...(checkpoint !== undefined && {
        override_settings: { sd_model_checkpoint: checkpoint },
      }),
      ...(start && {
        init_images: [Buffer.from(start).toString('base64')],
        denoising_strength: asked.strength,
      }),
    };
  }
}
