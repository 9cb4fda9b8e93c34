import { TEXT_LENGTH_MAX } from './spiking.engine.js';
import { reject } from './spiking.errors.js';

/** A prompt, or numbers in lists that may be nested. */
export type InputData = string | readonly InputValue[];
type InputValue = number | readonly InputValue[];

export const VALUES_MAX = 16_384;
export const LEVELS_MAX = 4;

/**
 * Checks what every network demands of its input; whether the shape is one of the network's is for
 * the engine to say.
 * @throws DomainError `snn_input_invalid`, with the place of the fault
 */
export const inputDataOf = (value: unknown, name = 'input_data'): InputData => {
  if (typeof value === 'string') return textOf(value, name);
  if (!Array.isArray(value)) {
    return invalid(`${name} must be a string or an array of numbers`);
  }
  let left = VALUES_MAX;
  const shapeOf = (list: readonly unknown[], place: string, level: number): readonly number[] => {
    if (level > LEVELS_MAX) return invalid(`${place} is nested deeper than ${LEVELS_MAX} levels`);
    if (list.length === 0) return invalid(`${place} is empty`);
    left -= list.length;
    if (left < 0) return invalid(`${name} has more than ${VALUES_MAX} values`);
    let first: readonly number[] | undefined;
    for (const [index, item] of list.entries()) {
      const where = `${place}[${index}]`;
      const shape = Array.isArray(item)
        ? shapeOf(item, where, level + 1)
        : scalarShape(item, where);
      first ??= shape;
      if (shape.join() !== first.join()) {
        return invalid(`${where} has another shape than ${place}[0]`);
      }
    }
    return [list.length, ...(first ?? [])];
  };
  shapeOf(value, name, 1);
  return value as readonly InputValue[];
};

const textOf = (text: string, name: string): string => {
  if (text === '') return invalid(`${name} is empty`);
  if (text.length > TEXT_LENGTH_MAX) {
    return invalid(`${name} is longer than ${TEXT_LENGTH_MAX} characters`);
  }
  return text;
};

const scalarShape = (value: unknown, where: string): readonly number[] => {
  if (typeof value !== 'number') return invalid(`${where} is not a number`);
  if (!Number.isFinite(value)) return invalid(`${where} is not a finite number`);
  return [];
};

const invalid = (detail: string): never => reject('snn_input_invalid', detail);
