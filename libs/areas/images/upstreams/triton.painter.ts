import { z } from 'zod';
import { PIXELS_MAX } from '#platform/pictures/png-decoder.js';
import { ImagesError, reject } from '../images.errors.js';
import { type Painted, type PaintOrder } from '../painter.js';
import { OneByOnePainter } from './one-by-one.painter.js';
import { askUpstream } from './upstream-request.js';

const Tensor = z.object({
  name: z.string(),
  datatype: z.string(),
  shape: z.array(z.int()).max(8),
});
const Metadata = z.object({ inputs: z.array(Tensor).max(64), outputs: z.array(Tensor).max(64) });
/** Millions of numbers, which are checked as they are read. */
const Data = z.custom<readonly unknown[]>((value) => Array.isArray(value));
const Output = Tensor.extend({ data: Data });
const Answer = z.object({ outputs: z.array(Output).max(64) });
type Output = z.infer<typeof Output>;

const COLOURS = 3;
const SIGNATURE = 'iVBORw0KGgo';

/**
 * A model on NVIDIA Triton, or on another server of the Open Inference Protocol (KServe v2). The
 * inputs that it names are filled by their names; pictures are its first output, as pixels or as
 * PNG files in base64.
 */
export class TritonPainter extends OneByOnePainter {
  override check(order: PaintOrder): void {
    super.check(order);
    if (order.start) reject('image_field_unsupported', `image: ${this.model} starts from noise`);
  }

  protected override async paintOne(
    order: PaintOrder,
    seed: number,
    signal: AbortSignal,
  ): Promise<Painted['made']> {
    const path = `/v2/models/${encodeURIComponent(this.upstreamId)}`;
    const { inputs, outputs } = read(
      Metadata,
      await askUpstream(this.upstream, path, null, signal),
    );
    const [picture] = outputs;
    if (!picture) throw new ImagesError('failed', 'the model of the upstream has no output');
    const sent = inputs.flatMap((input) => inputOf(input, order, seed));
    if (!sent.some(({ name }) => name.toLowerCase() === 'prompt')) {
      throw new ImagesError('failed', 'the model of the upstream has no input named prompt');
    }
    const body = { inputs: sent, outputs: [{ name: picture.name }] };
    const answer = await askUpstream(this.upstream, `${path}/infer`, body, signal);
    const made = read(Answer, answer).outputs.find(({ name }) => name === picture.name);
    if (!made) throw new ImagesError('failed', `the upstream sent no ${picture.name}`);
    return pictureOf(made);
  }
}

/** The values of a request by the usual names of inputs; others are left to their defaults. */
const inputOf = (
  { name, datatype, shape }: z.infer<typeof Tensor>,
  { asked }: PaintOrder,
  seed: number,
) => {
  const values: Readonly<Record<string, string | number>> = {
    prompt: asked.prompt,
    negative_prompt: '',
    steps: asked.steps,
    num_inference_steps: asked.steps,
    guidance_scale: asked.guidance,
    seed,
    width: asked.size.width,
    height: asked.size.height,
    samples: 1,
  };
  const value = values[name.toLowerCase()];
  if (value === undefined) return [];
  // Batches and lists of one.
  return [{ name, datatype, shape: shape.map(() => 1), data: [value] }];
};

const pictureOf = ({ datatype, shape, data }: Output): Painted['made'] => {
  const [first] = data;
  if (datatype === 'BYTES') {
    if (typeof first === 'string' && first.startsWith(SIGNATURE)) {
      return { file: Buffer.from(first, 'base64') };
    }
    throw new ImagesError('failed', 'the upstream sent no PNG file in base64');
  }
  const [height = 0, width = 0, colours] = shape.slice(-COLOURS);
  const isPicture = colours === COLOURS && height > 0 && width > 0 && height * width <= PIXELS_MAX;
  const numbers = data.slice(0, COLOURS * height * width);
  if (!isPicture || numbers.length < COLOURS * height * width) {
    const text = `the upstream sent ${datatype} of ${shape.join('x')}, not rows of three colours`;
    throw new ImagesError('failed', text);
  }
  return { width, height, pixels: Uint8Array.from(numbers, bytesOf(datatype)) };
};

/** Floats are between 0 and 1. */
const bytesOf = (datatype: string): ((value: unknown) => number) => {
  const scale = datatype.startsWith('FP') ? 255 : 1;
  return (value) => Math.max(0, Math.min(255, Math.round(scale * Number(value))));
};

const read = <Schema extends z.ZodType>(schema: Schema, answer: unknown): z.infer<Schema> => {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const detail = 'the upstream did not answer as the Open Inference Protocol says';
  throw new ImagesError('failed', detail, { cause: parsed.error });
};
