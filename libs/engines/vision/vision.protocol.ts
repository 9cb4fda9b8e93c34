import { z } from 'zod';
import { ATTRIBUTES } from '../image-diffusion/scene.js';

/** Pixels of the longer side of the frames that the engine takes. */
export const FRAME_SIDE = 128;
const COLOURS = 3;
const SHORT_SIDE_LEAST = 8;
/** Of a frame, and of a background: two bytes for each pixel. */
const PIXELS_BASE64_MAX = Math.ceil((FRAME_SIDE * FRAME_SIDE * COLOURS) / 3) * 4;
export const OBJECTS_MAX = 64;

export const VISION_MODES = ['detect', 'components', 'motion'] as const;
export type VisionMode = (typeof VISION_MODES)[number];

/** One frame is one task. */
export const VisionTask = z.strictObject({
  mode: z.enum(VISION_MODES),
  width: z.int().min(SHORT_SIDE_LEAST).max(FRAME_SIDE),
  height: z.int().min(SHORT_SIDE_LEAST).max(FRAME_SIDE),
  /** Red, green and blue of each pixel, row by row, in base64. */
  pixels: z.base64().max(PIXELS_BASE64_MAX),
  /** The least confidence of an object. */
  confidence: z.number().min(0).max(1),
  /** Of two objects that share more (IoU), the less confident one is dropped. */
  overlap: z.number().min(0).max(1),
  /** The result of `motion` for the frame before; null: this is the first frame. */
  background: z.base64().max(PIXELS_BASE64_MAX).nullable(),
});
export type VisionTask = z.infer<typeof VisionTask>;

/** Left, top, right and bottom, as shares of the frame. */
export const Box = z.tuple([z.number(), z.number(), z.number(), z.number()]);
export type Box = z.infer<typeof Box>;

/** A shape that the pixels of an object have, by its moments. */
export const Contour = z.strictObject({
  /** Of the frame. */
  areaShare: z.number(),
  /** Of its box. */
  extent: z.number(),
  /** The longer axis over the shorter one. */
  elongation: z.number(),
  centre: z.tuple([z.number(), z.number()]),
});
export type Contour = z.infer<typeof Contour>;

export const SeenObject = z.strictObject({
  label: z.enum([...ATTRIBUTES.shape, 'component', 'moving']),
  category: z.enum(['shape', 'region', 'motion']),
  /** Null where the mode names no colour. */
  colour: z.enum(ATTRIBUTES.colour).nullable(),
  confidence: z.number().min(0).max(1),
  box: Box,
  contour: Contour.nullable(),
});
export type SeenObject = z.infer<typeof SeenObject>;

export const VisionEnd = z.strictObject({
  /** The most confident first. */
  objects: z.array(SeenObject).max(OBJECTS_MAX),
  anomaly: z.strictObject({
    /** The largest error of a patch that was made of the components. */
    error: z.number().nonnegative(),
    /** The quantile of frames without an anomaly. */
    threshold: z.number().nonnegative(),
  }),
  /** For the next frame of `motion`. */
  background: z.base64().nullable(),
  weightsSha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** In the thread, without loading the model. */
  elapsedMs: z.number().nonnegative(),
});
export type VisionEnd = z.infer<typeof VisionEnd>;
