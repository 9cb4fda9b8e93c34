/** A learner as a plan, which other threads can be given, and the making of it. */
import * as tf from '@tensorflow/tfjs-core';
import { type Learner, nextTokenLoss } from './gradient.shard.js';
import { distillationLoss, type DistillationTerms } from './model/distillation.loss.js';
import {
  LlamaModel,
  type LlamaShape,
  lengthOf,
  type NamedTensor,
  tensorShapes,
} from './model/llama.model.js';
import { LowRankProjections } from './model/low-rank.projections.js';
import { PLAIN_PROJECTIONS, type Projections } from './model/projections.js';
import { TERNARY_PROJECTIONS } from './model/ternary.projections.js';

/** A model whose weights lie in memory that threads share, in the order of `tensorShapes`. */
export interface SharedModel {
  readonly shape: LlamaShape;
  readonly values: SharedArrayBuffer;
}

export type Tuning =
  | { readonly kind: 'full' }
  /** The matrices of the layers get a product of two thin ones added; nothing else is learned. */
  | { readonly kind: 'lora'; readonly rank: number; readonly alpha: number; readonly seed: number }
  /** The matrices of the layers are learned as they are when they become ternary. */
  | { readonly kind: 'ternary' };

export type Objective =
  { readonly kind: 'next_token' } | ({ readonly kind: 'distillation' } & DistillationTerms);

export interface LearnerPlan {
  readonly student: SharedModel;
  /** Of a distillation. */
  readonly teacher: SharedModel | null;
  readonly objective: Objective;
  readonly tuning: Tuning;
}

export const sharedModel = (shape: LlamaShape, tensors: readonly NamedTensor[]): SharedModel => {
  const size = tensors.reduce((sum, { values }) => sum + values.length, 0);
  const values = new SharedArrayBuffer(4 * size);
  const flat = new Float32Array(values);
  let offset = 0;
  for (const tensor of tensors) {
    flat.set(tensor.values, offset);
    offset += tensor.values.length;
  }
  return { shape, values };
};

const tensorsIn = ({ shape, values }: SharedModel): NamedTensor[] => {
  const flat = new Float32Array(values);
  let offset = 0;
  return tensorShapes(shape).map(([name, size]) => {
    const start = offset;
    offset += lengthOf(size);
    return { name, shape: size, values: flat.slice(start, offset) };
  });
};

export const modelOf = (shared: SharedModel, projections?: Projections): LlamaModel =>
  new LlamaModel(shared.shape, tensorsIn(shared), projections);

/** The same plan makes the same learner in every thread. */
export const learnerOf = ({ student, teacher, objective, tuning }: LearnerPlan): Learner => {
  const thin = tuning.kind === 'lora' ? new LowRankProjections(student.shape, tuning) : null;
  const rounded = tuning.kind === 'ternary' ? TERNARY_PROJECTIONS : PLAIN_PROJECTIONS;
  const model = modelOf(student, thin ?? rounded);
  return {
    model,
    learned: thin?.variables ?? model.variables,
    loss:
      objective.kind === 'distillation' && teacher !== null
        ? distillationLoss(modelOf(teacher), objective)
        : nextTokenLoss,
  };
};

/**
 * The weights as a file has them: with a LoRA added in. Matrices that become ternary are written
 * as they were learned, with 32-bit floats, for the engine that makes them ternary.
 */
export const writtenTensors = ({ model }: Learner, { kind }: Tuning): NamedTensor[] =>
  kind === 'ternary' ? model.tensors() : model.multipliedTensors();

export const disposeModel = (model: LlamaModel): void => {
  tf.dispose([...model.variables.values()]);
};
