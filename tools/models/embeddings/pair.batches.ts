/** Draws the pairs of a training step: paraphrases, and texts that are easily taken for them. */
import { type SeededRandom } from '#engines/training/seeded-random.js';
import { type Pair } from './contrastive.trainer.js';
import { actionsOf, type Meaning, topicsOf } from './paraphrases.js';

/** Of the texts of a step, those about Quipu, and those of a few fields of everyday life. */
const QUIPU_SHARE = 0.25;
const NEAR_SHARE = 0.4;
const NEAR_FIELDS = 3;
/** Texts of each meaning from which document frequencies are taken. */
const TEXTS_PER_ACTION = 4;
const TEXTS_PER_TOPIC = 20;

const ACTIONS = actionsOf('training');
const TOPICS = topicsOf('training');

const repeated = (meaning: Meaning, times: number, random: SeededRandom): readonly string[] =>
  Array.from({ length: times }, () => meaning.text(random));

/** The texts whose document frequencies weigh the features. */
export const trainingTexts = (random: SeededRandom): readonly string[] => [
  ...ACTIONS.flatMap((action) => repeated(action, TEXTS_PER_ACTION, random)),
  ...TOPICS.flatMap((topic) => repeated(topic, TEXTS_PER_TOPIC, random)),
];

/** No two pairs of a step have one meaning: each is a counter-example of the others. */
export const drawPairs = (count: number, random: SeededRandom): readonly Pair[] => {
  const fields = Array.from({ length: NEAR_FIELDS }, () => random.pick(ACTIONS).field);
  const near = ACTIONS.filter(({ field }) => fields.includes(field));
  const drawn = new Map<string, Pair>();
  while (drawn.size < count) {
    const share = random.next();
    const choices: readonly Meaning[] =
      share < QUIPU_SHARE ? TOPICS : share < QUIPU_SHARE + NEAR_SHARE ? near : ACTIONS;
    const meaning = random.pick(choices);
    if (!drawn.has(meaning.id)) drawn.set(meaning.id, [meaning.text(random), meaning.text(random)]);
  }
  return [...drawn.values()];
};
