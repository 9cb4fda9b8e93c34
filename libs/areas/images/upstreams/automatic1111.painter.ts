import { z } from 'zod';
import { ImagesError } from '../images.errors.js';
import { type Painted, type PaintOrder } from '../painter.js';
import { OneByOnePainter } from './one-by-one.painter.js';
import { askUpstream } from './upstream-request.js';

const Answer = z.object({ images: z.array(z.base64()).min(1) });

/** The web interface of Stable Diffusion by AUTOMATIC1111, and its forks, started with `--api`. */
export class Automatic1111Painter extends OneByOnePainter {
  protected override async paintOne(
    order: PaintOrder,
    seed: number,
    signal: AbortSignal,
  ): Promise<Painted['made']> {
    const path = order.start ? '/sdapi/v1/img2img' : '/sdapi/v1/txt2img';
    const answer = await askUpstream(this.upstream, path, this.#fieldsOf(order, seed), signal);
    const parsed = Answer.safeParse(answer);
    const [first] = parsed.data?.images ?? [];
    if (first === undefined) {
      throw new ImagesError('failed', 'the upstream sent no picture in base64');
    }
    return { file: Buffer.from(first, 'base64') };
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
