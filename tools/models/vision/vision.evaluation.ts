import { overlapOf } from '#engines/vision/detection/boxes.js';
import { detectionsOf, WHOLE } from '#engines/vision/detection/detections.js';
import { DETECTOR_SIDE } from '#engines/vision/network/detector.js';
import { type VisionCard } from '#engines/vision/vision-card.js';
import { type LoadedVision } from '#engines/vision/vision-model.js';
import { type Box, type SeenObject } from '#engines/vision/vision.protocol.js';
import { averagePrecision, meanOf, OVERLAPS } from './average-precision.js';

/** A frame of the generator: red, green and blue of each pixel, and its objects. */
export interface DrawnFrame {
  readonly part: string;
  /** Of the anomaly, where it has one. */
  readonly kind: string | null;
  readonly objects: readonly {
    readonly shape: string;
    readonly colour: string;
    readonly box: Box;
  }[];
  readonly pixels: Uint8Array;
}

type Networks = Omit<LoadedVision, 'card'>;

const FRAME_BYTES = 3 * DETECTOR_SIDE * DETECTOR_SIDE;
/** Of objects that count for the precision: nearly all are tried. */
const SCORED = { confidence: 0.02, overlap: 0.5 };
/** Of the gateway's default. */
const REPORTED = { confidence: 0.3, overlap: 0.5 };
export const QUANTILE = 0.99;

/** @param bytes the frames behind each other; @param listed JSON, as `train_vision.py` writes it */
export const drawnFrames = (bytes: Buffer, listed: string): readonly DrawnFrame[] =>
  (JSON.parse(listed) as Omit<DrawnFrame, 'pixels'>[]).map((frame, at) => ({
    ...frame,
    pixels: bytes.subarray(at * FRAME_BYTES, (at + 1) * FRAME_BYTES),
  }));

const numbersOf = (pixels: Uint8Array): Float32Array => Float32Array.from(pixels, (v) => v / 255);

const errorOf = ({ patches }: Networks, { pixels }: DrawnFrame): number =>
  Math.max(...patches.of(numbersOf(pixels)));

/** The precision of the detector on frames. */
export const scoreDetections = (
  { detector }: Networks,
  frames: readonly DrawnFrame[],
  shapes: readonly string[],
): VisionCard['heldOut'] => {
  const looks = frames.map(({ objects, pixels }) => {
    const outputs = detector.run(numbersOf(pixels));
    const drawn = objects.map((object) => ({ ...object, label: object.shape }));
    return { drawn, found: detectionsOf(outputs, WHOLE, SCORED) };
  });
  const ap50OfShape = Object.fromEntries(
    shapes.map((shape) => [shape, averagePrecision(looks, shape, 0.5)]),
  );
  const colours = looks.flatMap(({ drawn, found }) =>
    drawn.flatMap(({ box, label, colour }) => {
      const match = found.find((one) => isReported(one) && hits(one, { box, label }));
      return match ? [match.colour === colour ? 1 : 0] : [];
    }),
  );
  return {
    frames: frames.length,
    objects: looks.flatMap(({ drawn }) => drawn).length,
    ap50: meanOf(Object.values(ap50OfShape)),
    map: meanOf(
      OVERLAPS.flatMap((overlap) => shapes.map((shape) => averagePrecision(looks, shape, overlap))),
    ),
    ap50OfShape,
    colour: meanOf(colours),
  };
};

const isReported = ({ confidence }: SeenObject): boolean => confidence >= REPORTED.confidence;

const hits = (found: SeenObject, drawn: { readonly label: string; readonly box: Box }): boolean =>
  found.label === drawn.label && overlapOf(found.box, drawn.box) >= 0.5;

/** The threshold of the anomaly by calibration frames, and how often it reports others. */
export const calibrateAnomaly = (
  networks: Networks,
  frames: readonly DrawnFrame[],
): Pick<
  VisionCard['anomaly'],
  'quantile' | 'threshold' | 'calibrationFrames' | 'falseAlarms' | 'found'
> => {
  const errorsOf = (part: string, kind: string | null): number[] =>
    frames
      .filter((one) => one.part === part && one.kind === kind)
      .map((frame) => errorOf(networks, frame));
  const calibration = errorsOf('calibration', null).toSorted((a, b) => a - b);
  const threshold = calibration[Math.ceil(QUANTILE * calibration.length) - 1] ?? 0;
  const reported = (errors: readonly number[]): number =>
    meanOf(errors.map((error) => (error > threshold ? 1 : 0)));
  const kinds = [...new Set(frames.flatMap(({ kind }) => kind ?? []))];
  return {
    quantile: QUANTILE,
    threshold,
    calibrationFrames: calibration.length,
    falseAlarms: reported(errorsOf('heldOut', null)),
    found: Object.fromEntries(kinds.map((kind) => [kind, reported(errorsOf('anomaly', kind))])),
  };
};
