import { z } from 'zod';
import { type UpstreamModel } from '#platform/runtime/areas/upstreams-file.js';
import { ImagesError, reject } from '../images.errors.js';
import { type Painted, type Painter, type PaintOrder } from '../painter.js';
import { type ImageUpstream } from './image-upstreams.file.js';
import { askUpstream } from './upstream-request.js';

const Answer = z.object({
  data: z
    .array(z.object({ b64_json: z.base64(), revised_prompt: z.string().nullish() }))
    .min(1)
    .max(10),
});

/** Models that always answer in base64, and reject the field that asks for it. */
const ALWAYS_BASE64 = /^(?:gpt-image|chatgpt-image)/;

/** A server with the image routes of OpenAI: OpenAI, LocalAI, vLLM and others. */
export class OpenAiPainter implements Painter {
  readonly engine = 'upstream:openai';
  readonly isEmbedded = false;
  readonly side = null;
  readonly model: string;
  readonly #upstreamModel: string;

  constructor(
    private readonly upstream: ImageUpstream,
    { id, upstream_id: upstreamModel = id }: UpstreamModel,
  ) {
    this.model = id;
    this.#upstreamModel = upstreamModel;
  }

  check({ asked }: PaintOrder): void {
    if (asked.seed === null) return;
    reject('image_field_unsupported', `seed: the interface of ${this.model} has no such field`);
  }

  async *paint(order: PaintOrder, signal: AbortSignal): AsyncGenerator<Painted, void, void> {
    const { start } = order;
    const fields = this.#fieldsOf(order);
    const answer = start
      ? await askUpstream(this.upstream, '/images/edits', formOf(fields, start), signal)
      : await askUpstream(this.upstream, '/images/generations', fields, signal);
    const parsed = Answer.safeParse(answer);
    if (!parsed.success || parsed.data.data.length !== order.asked.images) {
      throw new ImagesError('failed', 'the upstream sent no pictures in base64');
    }
    for (const { b64_json: base64, revised_prompt: revisedPrompt } of parsed.data.data) {
      yield {
        engine: this.engine,
        revisedPrompt: revisedPrompt ?? null,
        seed: null,
        made: { file: Buffer.from(base64, 'base64') },
      };
    }
  }

  #fieldsOf({ asked }: PaintOrder): Readonly<Record<string, unknown>> {
    const { width, height } = asked.size;
    return {
      ...asked.others,
      model: this.#upstreamModel,
      prompt: asked.prompt,
      n: asked.images,
      size: `${width}x${height}`,
      ...(asked.quality !== 'auto' && { quality: asked.quality }),
      ...(!ALWAYS_BASE64.test(this.#upstreamModel) && { response_format: 'b64_json' }),
    };
  }
}

const formOf = (fields: Readonly<Record<string, unknown>>, picture: Uint8Array): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  form.set('image', new File([Buffer.from(picture)], 'image.png', { type: 'image/png' }));
  return form;
};
