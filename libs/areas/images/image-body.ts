import { z } from 'zod';
import { messageOf } from '#platform/kernel/faults.js';
import { GUIDANCE_MAX, SEED_MAX, STEPS_MAX } from './images.engine.js';

export const PROMPT_LENGTH_MAX = 4_000;
export const IMAGES_MAX = 10;
/** The pixels of the embedded model, and of OpenAI's models. */
export const SIZES = [
  ...(['1024x1024', '768x768', '1280x720', '512x512', '256x256', '32x32'] as const),
  ...(['1536x1024', '1024x1536', '1792x1024', '1024x1792'] as const),
] as const;
export const SIZE_DEFAULT = '1024x1024';
/** Steps of the sampler by `quality`, in the words of OpenAI's models. */
export const STEPS_OF_QUALITY = {
  low: 8,
  medium: 16,
  standard: 16,
  auto: 16,
  high: 32,
  hd: 32,
} as const;
type Quality = keyof typeof STEPS_OF_QUALITY;
const QUALITIES = Object.keys(STEPS_OF_QUALITY) as [Quality, ...Quality[]];
export const STRENGTH_DEFAULT = 0.6;
export const GUIDANCE_DEFAULT = 2;

/** Fields that Quipu uses are strict; the embedded model rejects others by name. */
export const ImageBody = z.looseObject({
  prompt: z.string().min(1, 'must not be empty').max(PROMPT_LENGTH_MAX),
  model: z.string().min(1).max(256).nullish(),
  size: z.enum([...SIZES, 'auto']).nullish(),
  n: z.int().min(1).max(IMAGES_MAX).nullish(),
  quality: z.enum(QUALITIES).nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  seed: z.int().min(0).max(SEED_MAX).nullish(),
  steps: z.int().min(1).max(STEPS_MAX).nullish(),
  guidance_scale: z.number().min(1).max(GUIDANCE_MAX).nullish(),
  strength: z.number().min(0).max(1).nullish(),
  output_format: z.literal('png', 'pictures are PNG files').nullish(),
  stream: z.literal(false, 'pictures are not streamed').nullish(),
  user: z.string().max(512).nullish(),
});
type ImageBody = z.infer<typeof ImageBody>;

/** Fields that change nothing here: every picture is opaque, and nothing is moderated. */
const HARMLESS = new Set(['background', 'moderation', 'user', 'input_fidelity']);
const KNOWN = new Set([...Object.keys(ImageBody.shape), ...HARMLESS]);

/** A request for pictures that can be priced. */
export interface ImagesAsked {
  readonly prompt: string;
  readonly model: string | null;
  readonly size: Size;
  readonly images: number;
  readonly quality: Quality;
  readonly format: 'url' | 'b64_json';
  /** Null: drawn for the request. */
  readonly seed: number | null;
  readonly steps: number;
  readonly guidance: number;
  readonly strength: number;
  /** Names of fields that only an upstream may know. */
  readonly others: Readonly<Record<string, unknown>>;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export type ReadImageBody =
  | { readonly asked: ImagesAsked }
  | { readonly invalid: { readonly message: string; readonly param: string | null } };

/** Reads the body of a request, or the fields of a form. */
export const readImageBody = (value: unknown): ReadImageBody => {
  const parsed = ImageBody.safeParse(value);
  if (parsed.success) return { asked: askedOf(parsed.data) };
  const faults = parsed.error.issues.map(({ path, message }) => ({
    param: path.map(String).join('.'),
    message,
  }));
  return {
    invalid: {
      message: messageOf(
        faults.map(({ param, message }) => `${param === '' ? 'the body' : param}: ${message}`),
      ),
      param: faults[0]?.param || null,
    },
  };
};

/** Numbers of a form are texts. @param fields by name, each once */
export const bodyOfForm = (fields: ReadonlyMap<string, string>): Record<string, unknown> =>
  Object.fromEntries(
    [...fields].map(([name, text]) => [
      name,
      NUMBERS.has(name) && /^\d{1,10}(?:\.\d{1,6})?$/.test(text) ? Number(text) : text,
    ]),
  );

const NUMBERS = new Set(['n', 'seed', 'steps', 'guidance_scale', 'strength']);

const askedOf = (body: ImageBody): ImagesAsked => {
  const quality = body.quality ?? 'auto';
  const size = body.size ?? 'auto';
  const [width = 0, height = 0] = (size === 'auto' ? SIZE_DEFAULT : size).split('x').map(Number);
  return {
    prompt: body.prompt,
    model: body.model ?? null,
    size: { width, height },
    images: body.n ?? 1,
    quality,
    format: body.response_format ?? 'url',
    seed: body.seed ?? null,
    steps: body.steps ?? STEPS_OF_QUALITY[quality],
    guidance: body.guidance_scale ?? GUIDANCE_DEFAULT,
    strength: body.strength ?? STRENGTH_DEFAULT,
    others: Object.fromEntries(
      Object.entries(body).filter(([name, value]) => !KNOWN.has(name) && value !== null),
    ),
  };
};
