import { suppress } from '../detection/boxes.js';
import { OBJECTS_MAX, type SeenObject } from '../vision.protocol.js';
import { type Component, componentsOf, type Mask } from './components.js';
import { type GreyFrame, separationOf } from './grey-frame.js';

/** Of the frame: smaller components are noise. */
const AREA_SHARE_LEAST = 0.002;

interface Naming extends Pick<SeenObject, 'label' | 'category'> {
  readonly confidenceOf: (component: Component) => number;
}

/** The components of a mask as objects. */
export const objectsIn = (
  mask: Mask,
  { label, category, confidenceOf }: Naming,
  asked: { readonly confidence: number; readonly overlap: number },
): SeenObject[] => {
  const { width, height } = mask;
  const found = componentsOf(mask)
    .filter(({ area }) => area >= AREA_SHARE_LEAST * width * height)
    .map((component): SeenObject => {
      const { left, top, right, bottom, area, centre, elongation } = component;
      return {
        label,
        category,
        colour: null,
        confidence: confidenceOf(component),
        box: [left / width, top / height, right / width, bottom / height],
        contour: {
          areaShare: area / (width * height),
          extent: area / ((right - left) * (bottom - top)),
          elongation,
          centre: [(centre[0] + 0.5) / width, (centre[1] + 0.5) / height],
        },
      };
    })
    .filter(({ confidence }) => confidence >= asked.confidence);
  return suppress(found, asked.overlap, OBJECTS_MAX);
};

/** The pixels of the class of brightness that has less of the border of the frame. */
export const foregroundOf = (frame: GreyFrame): { mask: Mask; share: number } => {
  const { width, height } = frame;
  const { threshold, share } = separationOf(frame);
  const values = frame.values.map((value) => (value > threshold ? 1 : 0));
  let [bright, border] = [0, 0];
  values.forEach((value, at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) return;
    bright += value;
    border += 1;
  });
  const mask = 2 * bright > border ? values.map((value) => 1 - value) : values;
  return { mask: { width, height, values: mask }, share };
};
