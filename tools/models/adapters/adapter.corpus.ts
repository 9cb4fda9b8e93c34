/** The dialogues of a task, as tokens. */
import { dialogueDocument, type Document } from '../batch.js';
import type { BytePairTokenizer } from '../byte-pair.tokenizer.js';
import { ACCESS_TOPICS } from '../corpus/access.topics.js';
import { NANO_CORPUS } from '../corpus/corpora.js';
import { compose, exchange, type Split } from '../corpus/corpus.generator.js';
import { IDENTITY_TOPICS } from '../corpus/identity.topics.js';
import { INFERENCE_TOPICS } from '../corpus/inference.topics.js';
import { LEDGER_TOPICS } from '../corpus/ledger.topics.js';
import { START_TOPICS } from '../corpus/start.topics.js';
import type { SeededRandom } from '#engines/training/seeded-random.js';
import type { AdapterTask, Asked, Taught } from './adapter.task.js';

const FAMILIES = {
  identity: IDENTITY_TOPICS,
  start: START_TOPICS,
  ledger: LEDGER_TOPICS,
  inference: INFERENCE_TOPICS,
  access: ACCESS_TOPICS,
} as const;

const familyByTopic: ReadonlyMap<string, string> = new Map(
  Object.entries(FAMILIES).flatMap(([family, topics]) =>
    topics.map(({ id }): [string, string] => [id, family]),
  ),
);

const drawAsked = (split: Split, random: SeededRandom): Asked => {
  const { topicId, question, answer } = exchange({
    split,
    corpus: NANO_CORPUS,
    random,
    commonShare: 0,
  });
  return {
    question,
    answer: compose(answer, random),
    family: familyByTopic.get(topicId) ?? topicId,
  };
};

/** Held-out questions are of phrasings that neither the base nor the adapter was trained on. */
export const drawTaught = (task: AdapterTask, split: Split, random: SeededRandom): Taught =>
  task.teach(drawAsked(split, random), random);

/** Only the tokens of the answer count. */
export const taughtDocument = (
  { question, answer }: Taught,
  tokenizer: BytePairTokenizer,
): Document =>
  dialogueDocument(
    [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ],
    tokenizer,
    0,
  );
