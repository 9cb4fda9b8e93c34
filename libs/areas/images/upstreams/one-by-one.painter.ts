import { randomInt } from 'node:crypto';
import { type UpstreamModel } from '#platform/runtime/areas/upstreams-file.js';
import { SEED_MAX } from '../images.engine.js';
import { reject } from '../images.errors.js';
import { type Painted, type Painter, type PaintOrder } from '../painter.js';
import { type ImageUpstream } from './image-upstreams.file.js';

/** A server that is asked for one picture after the other, so that each has its seed. */
export abstract class OneByOnePainter implements Painter {
  readonly isEmbedded = false;
  readonly side = null;
  readonly engine: string;
  readonly model: string;

  constructor(
    protected readonly upstream: ImageUpstream,
    protected readonly served: UpstreamModel,
  ) {
    this.engine = `upstream:${upstream.server}`;
    this.model = served.id;
  }

  /** The name that the server has for the model. */
  protected get upstreamId(): string {
    return this.served.upstream_id ?? this.served.id;
  }

  check({ asked }: PaintOrder): void {
    const [name] = Object.keys(asked.others);
    if (name === undefined) return;
    reject('image_field_unsupported', `${name}: the interface of ${this.model} has no such field`);
  }

  async *paint(order: PaintOrder, signal: AbortSignal): AsyncGenerator<Painted, void, void> {
    const { seed: firstAsked, images } = order.asked;
    const first = firstAsked ?? randomInt(SEED_MAX - images);
    for (let image = 0; image < images; image += 1) {
      const seed = (first + image) % (SEED_MAX + 1);
      const made = await this.paintOne(order, seed, signal);
      yield { engine: this.engine, revisedPrompt: null, seed, made };
    }
  }

  /** @throws ImagesError; the reason of the signal */
  protected abstract paintOne(
    order: PaintOrder,
    seed: number,
    signal: AbortSignal,
  ): Promise<Painted['made']>;
}
