/** Has `evaluate.py` ask and score a trained model. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { MINI_CORPUS } from '../corpus/corpora.js';
import { dialogue } from '../corpus/corpus.generator.js';
import {
  ANSWER_TOKENS_MAX,
  promptIds,
  REFERENCE_QUESTIONS,
  REFERENCE_TOKENS,
  WARM_TEMPERATURE,
} from '../report.js';
import { seededRandom } from '#engines/training/seeded-random.js';
import { FAMILY_SAMPLE_QUESTIONS, FAMILY_WARM_QUESTIONS } from './family.questions.js';
import type { RowsFile, StoredModel, Workshop } from './family.plan.js';
import { runPython } from '../python.js';

const Ids = z.array(z.int());
const Result = z.strictObject({
  heldOut: z.record(z.string(), z.strictObject({ perplexity: z.number(), tokens: z.int() })),
  answers: z.array(Ids),
  logits: z.array(z.array(z.number())),
  acceptance: z
    .strictObject({
      prompts: z.int(),
      tokens: z.int(),
      greedyByPosition: z.array(z.number()),
      sampled: z.number(),
    })
    .nullable(),
});

export type Evaluation = z.infer<typeof Result>;

export interface EvaluationOrder {
  readonly name: string;
  readonly model: StoredModel;
  readonly heldOut: Readonly<Record<string, RowsFile>>;
  /** Whether it is asked anything; a model of an earlier training is only scored. */
  readonly isAsked: boolean;
  /** The model for which this one proposes tokens. */
  readonly target: StoredModel | null;
}

const ACCEPTANCE = { seed: 78, prompts: 60, positions: 6 } as const;

/** First questions of held-out dialogues. */
const heldOutPrompts = ({ tokenizer }: Workshop): number[][] => {
  const random = seededRandom(ACCEPTANCE.seed);
  return Array.from({ length: ACCEPTANCE.prompts }, () => {
    const question = dialogue('held-out', random, 0, MINI_CORPUS).find(
      ({ role }) => role === 'user',
    );
    return promptIds(question?.content ?? '', tokenizer);
  });
};

/** What it answers, in this order: reference questions, samples, warm samples. */
const askedOf = ({ tokenizer }: Workshop): object[] => {
  const asked =
    (temperature: number, tokensMax: number) =>
    (question: string): object => ({
      ids: promptIds(question, tokenizer),
      temperature,
      tokensMax,
    });
  return [
    ...REFERENCE_QUESTIONS.map(asked(0, REFERENCE_TOKENS)),
    ...FAMILY_SAMPLE_QUESTIONS.map(asked(0, ANSWER_TOKENS_MAX)),
    ...FAMILY_WARM_QUESTIONS.map(asked(WARM_TEMPERATURE, ANSWER_TOKENS_MAX)),
  ];
};

export const evaluate = async (
  { name, model, heldOut, isAsked, target }: EvaluationOrder,
  workshop: Workshop,
): Promise<Evaluation> => {
  const { cache, tokenizer, seed, python } = workshop;
  const result = `${name}.evaluation.json`;
  const order = {
    seed,
    model,
    heldOut,
    endId: tokenizer.control('<|im_end|>'),
    asked: isAsked ? askedOf(workshop) : [],
    logits: isAsked ? REFERENCE_QUESTIONS.map((text) => promptIds(text, tokenizer)) : [],
    acceptance: target && {
      target,
      prompts: heldOutPrompts(workshop),
      positions: ACCEPTANCE.positions,
      tokensMax: ANSWER_TOKENS_MAX,
    },
    result,
  };
  const file = path.join(cache, `${name}.order.json`);
  await writeFile(file, JSON.stringify(order));
  await runPython(python, 'tools/models/family/evaluate.py', [file]);
  return Result.parse(JSON.parse(await readFile(path.join(cache, result), 'utf8')));
};
