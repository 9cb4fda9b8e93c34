/** Held-out figures of a trained network, by the metered engine that will serve it. */
import { probabilitiesOf, topOf } from '#engines/spiking/classification.js';
import { readoutOf } from '#engines/spiking/heads.js';
import type { Head } from '#engines/spiking/model.js';
import type { NeuronModel } from '#engines/spiking/neurons/neuron.js';
import { runMetered } from '#engines/spiking/run.js';
import type { NamedTensors } from '#platform/safetensors/safetensors.js';
import {
  drawExamples,
  drawPrompts,
  type ExampleSource,
  type InputSource,
  type LabelledInput,
} from './examples.js';

export interface Answer {
  readonly logits: Float32Array;
  readonly label: number;
}

/** @param neuron the one to run with */
export const answersTo = (
  examples: readonly LabelledInput[],
  { architecture, task, steps }: InputSource,
  head: Head,
  weights: NamedTensors,
  neuron: NeuronModel,
): readonly Answer[] => {
  const readout = readoutOf(head, task.classes.length);
  return examples.map(({ x, label }) => {
    const { logits } = runMetered(architecture, x, readout, { weights, steps, neuron });
    return { logits, label };
  });
};

/** Answers to held-out examples. */
export const answersOf = (
  source: ExampleSource & { readonly seed: number },
  head: Head,
  weights: NamedTensors,
  neuron: NeuronModel,
  count: number,
): readonly Answer[] => {
  const examples = drawExamples(source, head, 'held-out', source.seed, count);
  return answersTo(examples, source, head, weights, neuron);
};

/** Answers to held-out prompts, which every network reads. */
export const promptAnswersOf = (
  source: InputSource & { readonly seed: number },
  weights: NamedTensors,
  count: number,
): readonly Answer[] => {
  const prompts = drawPrompts(source, 'held-out', source.seed, count);
  return answersTo(prompts, source, 'text', weights, source.architecture.neuron.model);
};

export const accuracyOf = (answers: readonly Answer[]): number =>
  answers.filter(({ logits, label }) => topOf([...logits]) === label).length / answers.length;

const meanSurprise = (answers: readonly Answer[], temperature: number): number =>
  answers.reduce((sum, { logits, label }) => {
    return sum - Math.log(Math.max(1e-12, probabilitiesOf(logits, temperature)[label] ?? 0));
  }, 0) / answers.length;

/** The temperature under which the answers are least surprising, by golden-section search. */
export const fitTemperature = (answers: readonly Answer[]): number => {
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [Math.log(0.05), Math.log(20)];
  for (let round = 0; round < 40; round += 1) {
    const [left, right] = [high - ratio * (high - low), low + ratio * (high - low)];
    const isLeftBetter =
      meanSurprise(answers, Math.exp(left)) < meanSurprise(answers, Math.exp(right));
    if (isLeftBetter) high = right;
    else low = left;
  }
  return Math.exp((low + high) / 2);
};

const BINS = 15;

/** Expected calibration error: the mean gap of confidence and accuracy over bins of confidence. */
export const calibrationErrorOf = (answers: readonly Answer[], temperature: number): number => {
  const bins = Array.from({ length: BINS }, () => ({ confidence: 0, correct: 0 }));
  for (const { logits, label } of answers) {
    const probabilities = probabilitiesOf(logits, temperature);
    const confidence = Math.max(...probabilities);
    const bin = bins[Math.min(BINS - 1, Math.floor(confidence * BINS))];
    if (bin === undefined) continue;
    bin.confidence += confidence;
    bin.correct += topOf(probabilities) === label ? 1 : 0;
  }
  const gaps = bins.reduce((sum, bin) => sum + Math.abs(bin.confidence - bin.correct), 0);
  return gaps / answers.length;
};
