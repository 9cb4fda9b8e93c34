import { Background, DIFFERENCE_LEAST } from './classical/background.js';
import { blurred, type GreyFrame, greyOf } from './classical/grey-frame.js';
import { foregroundOf, objectsIn } from './classical/regions.js';
import { detectionsOf } from './detection/detections.js';
import { inputOf } from './detection/network-input.js';
import { type LoadedVision } from './vision-model.js';
import { VisionEngineError } from './vision.errors.js';
import { type SeenObject, type VisionEnd, type VisionTask } from './vision.protocol.js';

/** Looks at one frame. @throws VisionEngineError `frame_invalid` */
export const lookAt = ({ card, detector, patches }: LoadedVision, task: VisionTask): VisionEnd => {
  const startedAt = performance.now();
  const { width, height } = task;
  const pixels = Buffer.from(task.pixels, 'base64');
  if (pixels.length !== 3 * width * height) {
    const text = `a frame of ${width}x${height} pixels has ${pixels.length} bytes`;
    throw new VisionEngineError('frame_invalid', text);
  }
  const { input, live } = inputOf(pixels, width, height);
  let [objects, background]: [SeenObject[], string | null] = [[], null];
  if (task.mode === 'detect') objects = detectionsOf(detector.run(input), live, task);
  else {
    const frame = blurred(greyOf(pixels, width, height));
    if (task.mode === 'components') objects = componentsIn(frame, task);
    else ({ objects, background } = movingIn(frame, task));
  }
  return {
    objects,
    anomaly: { error: Math.max(...patches.of(input)), threshold: card.anomaly.threshold },
    background,
    weightsSha256: card.weightsSha256,
    elapsedMs: performance.now() - startedAt,
  };
};

/** How confident: how well a threshold separates the brightness of the frame. */
const componentsIn = (frame: GreyFrame, task: VisionTask): SeenObject[] => {
  const { mask, share } = foregroundOf(frame);
  const naming = { label: 'component', category: 'region', confidenceOf: () => share } as const;
  return objectsIn(mask, naming, task);
};

/** How confident: the mean difference of the pixels, which is full at twice the least one. */
const movingIn = (
  frame: GreyFrame,
  task: VisionTask,
): { readonly objects: SeenObject[]; readonly background: string } => {
  const { width, height, values } = frame;
  const known = task.background && Background.from(task.background, values.length);
  const background = known || Background.of(frame);
  const differences = background.differencesTo(frame);
  const moving = {
    width,
    height,
    values: differences.map((difference) => (difference > DIFFERENCE_LEAST ? 1 : 0)),
  };
  const objects = objectsIn(
    moving,
    {
      label: 'moving',
      category: 'motion',
      confidenceOf: ({ pixels, area }) => {
        const sum = pixels.reduce((total, at) => total + (differences[at] ?? 0), 0);
        return Math.min(1, sum / area / (2 * DIFFERENCE_LEAST));
      },
    },
    task,
  );
  background.follow(frame, moving);
  return { objects, background: background.toBase64() };
};
