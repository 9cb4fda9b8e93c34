import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ImagesError } from '../images.errors.js';
import { type Painted, type PaintOrder } from '../painter.js';
import { OneByOnePainter } from './one-by-one.painter.js';
import { askUpstream, fileOfUpstream } from './upstream-request.js';

const POLL_MS = 250;
/** How long the end of a request waits for the server to drop the prompt. */
const CANCEL_MS_MAX = 2_000;

const Name = z.string().max(512);
const Queued = z.object({ prompt_id: z.string().regex(/^[\w-]{1,64}$/) });
const Uploaded = z.object({ name: Name.min(1), subfolder: Name });
const Image = z.object({ filename: Name.min(1), subfolder: Name, type: Name });
const Finished = z.object({
  status: z.object({ status_str: z.string(), completed: z.boolean() }),
  outputs: z.record(z.string(), z.object({ images: z.array(Image).optional() })),
});
const History = z.record(z.string(), z.unknown());

/** The nodes of a graph, each by its number. An input is a value, or an output of a node. */
type Graph = Readonly<
  Record<
    string,
    { readonly class_type: string; readonly inputs: Readonly<Record<string, unknown>> }
  >
>;

/** A server of ComfyUI: a graph is queued, its end awaited, and its picture read. */
export class ComfyUiPainter extends OneByOnePainter {
  protected override async paintOne(
    order: PaintOrder,
    seed: number,
    signal: AbortSignal,
  ): Promise<Painted['made']> {
    const start = order.start && (await this.#upload(order.start, signal));
    const prompt = graphOf(order, seed, this.upstreamId, start);
    const queued = await this.#ask('/prompt', { prompt }, signal);
    const { prompt_id: id } = parsed(Queued, queued, 'no id of a prompt');
    try {
      const { filename, subfolder, type } = await this.#finished(id, signal);
      const query = new URLSearchParams({ filename, subfolder, type });
      return { file: await fileOfUpstream(this.upstream, `/view?${query.toString()}`, signal) };
    } catch (error) {
      if (signal.aborted) await this.#cancel(id);
      throw error;
    }
  }

  #ask(path: string, body: Parameters<typeof askUpstream>[2], signal: AbortSignal) {
    return askUpstream(this.upstream, path, body, signal);
  }

  /** The name under which the server keeps a picture. */
  async #upload(file: Uint8Array, signal: AbortSignal): Promise<string> {
    const form = new FormData();
    form.set('image', new File([new Uint8Array(file)], 'quipu.png', { type: 'image/png' }));
    const answer = await this.#ask('/upload/image', form, signal);
    const { name, subfolder } = parsed(Uploaded, answer, 'no name of a picture');
    return subfolder === '' ? name : `${subfolder}/${name}`;
  }

  /** Waits until the signal ends it. */
  async #finished(id: string, signal: AbortSignal): Promise<z.infer<typeof Image>> {
    for (;;) {
      const history = parsed(
        History,
        await this.#ask(`/history/${id}`, null, signal),
        'no history',
      );
      if (history[id] !== undefined) {
        const { status, outputs } = parsed(Finished, history[id], 'no outputs');
        if (status.status_str === 'error') {
          throw new ImagesError('failed', 'the graph failed on the upstream');
        }
        const [first] = Object.values(outputs).flatMap(({ images = [] }) => images);
        if (first) return first;
        if (status.completed) throw new ImagesError('failed', 'the upstream made no picture');
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  /** Takes a prompt from the queue; one that runs is finished. */
  async #cancel(id: string): Promise<void> {
    const soon = AbortSignal.timeout(CANCEL_MS_MAX);
    await this.#ask('/queue', { delete: [id] }, soon).catch(() => undefined);
  }
}

/** The graph of a checkpoint with the nodes of every installation. @param start a stored picture */
const graphOf = (
  { asked }: PaintOrder,
  seed: number,
  ckpt_name: string,
  start: string | null,
): Graph => {
  const { prompt, size, steps, guidance: cfg, strength } = asked;
  const latent: Graph =
    start === null
      ? { latent: { class_type: 'EmptyLatentImage', inputs: { ...size, batch_size: 1 } } }
      : {
          start: { class_type: 'LoadImage', inputs: { image: start } },
          scaled: {
            class_type: 'ImageScale',
            inputs: { image: ['start', 0], upscale_method: 'bicubic', crop: 'center', ...size },
          },
          latent: {
            class_type: 'VAEEncode',
            inputs: { pixels: ['scaled', 0], vae: ['checkpoint', 2] },
          },
        };
  const text = (words: string) => ({
    class_type: 'CLIPTextEncode',
    inputs: { text: words, clip: ['checkpoint', 1] },
  });
  const sampling = { seed, steps, cfg, sampler_name: 'euler', scheduler: 'normal' };
  return {
    checkpoint: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name } },
    positive: text(prompt),
    negative: text(''),
    ...latent,
    sampler: {
      class_type: 'KSampler',
      inputs: {
        ...sampling,
        denoise: start === null ? 1 : strength,
        model: ['checkpoint', 0],
        positive: ['positive', 0],
        negative: ['negative', 0],
        latent_image: ['latent', 0],
      },
    },
    decoded: {
      class_type: 'VAEDecode',
      inputs: { samples: ['sampler', 0], vae: ['checkpoint', 2] },
    },
    saved: {
      class_type: 'SaveImage',
      inputs: { images: ['decoded', 0], filename_prefix: 'quipu' },
    },
  };
};

const parsed = <Schema extends z.ZodType>(
  schema: Schema,
  answer: unknown,
  missing: string,
): z.infer<Schema> => {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  throw new ImagesError('failed', `the upstream sent ${missing}`, { cause: read.error });
};
