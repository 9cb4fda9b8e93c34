import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export const IMAGES_SETTINGS = Symbol('ImagesSettings');

/** A server of other models. */
const Upstream = z.strictObject({
  /** As callers name it. */
  model: z.string().min(1).max(256),
  kind: z.enum(['openai', 'automatic1111']),
  /** With the version of an OpenAI interface: `https://api.openai.com/v1`. */
  url: z.url({ protocol: /^https?$/ }),
  /** As the server names it; default: `model`. */
  upstream_model: z.string().min(1).max(256).optional(),
  /** The variable that holds the key; absent: none is sent. */
  key_env: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/)
    .optional(),
});
export type ImageUpstreamSettings = z.infer<typeof Upstream>;

const Upstreams = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('must be JSON');
      return z.NEVER;
    }
  })
  .pipe(z.array(Upstream).max(32))
  .refine(
    (upstreams) => new Set(upstreams.map(({ model }) => model)).size === upstreams.length,
    'names a model twice',
  );

export interface ImagesSettings {
  readonly upstreams: readonly ImageUpstreamSettings[];
  /** The longest a request may run. */
  readonly requestMsMax: number;
  /** How long the file behind a `url` stays. */
  readonly fileSecondsMax: number;
}

export const imagesSettings = defineSettings({
  token: IMAGES_SETTINGS,
  variables: {
    QUIPU_IMAGE_UPSTREAMS: variable(
      Upstreams.default([]),
      'servers of other image models, as a JSON list of `model`, `kind` (`openai`, ' +
        '`automatic1111`), `url`, `upstream_model` and `key_env`',
    ),
    QUIPU_IMAGE_SECONDS: variable(
      wholeNumber(1, 3_600).default(120),
      'the longest a request for pictures may run',
    ),
    QUIPU_IMAGE_FILE_SECONDS: variable(
      wholeNumber(60, 2_592_000).default(86_400),
      'how long the file behind the `url` of a picture stays',
    ),
  },
  read: (values): ImagesSettings => ({
    upstreams: values.QUIPU_IMAGE_UPSTREAMS,
    requestMsMax: values.QUIPU_IMAGE_SECONDS * 1_000,
    fileSecondsMax: values.QUIPU_IMAGE_FILE_SECONDS,
  }),
});
