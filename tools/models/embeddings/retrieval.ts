/** The held-out retrieval task: for each query, one document of many says the same. */
import { type SeededRandom, seededRandom } from '#engines/training/seeded-random.js';
import { actionsOf, type Meaning, topicsOf, unseenTextOf } from './paraphrases.js';

export interface RetrievalTask {
  readonly name: 'everyday' | 'unseen-words' | 'quipu';
  readonly description: string;
  readonly queries: readonly string[];
  readonly documents: readonly string[];
  /** The document of each query. */
  readonly answers: readonly number[];
}

export interface RetrievalScore {
  readonly recallAt1: number;
  /** Mean reciprocal rank. */
  readonly mrr: number;
  /** Normalized discounted cumulative gain of the first ten, with one relevant document. */
  readonly ndcgAt10: number;
}

const SEED = 20_251;

const differentText = (meaning: Meaning, other: string, random: SeededRandom): string => {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const text = meaning.text(random);
    if (text !== other) return text;
  }
  throw new Error(`${meaning.id} has one text only`);
};

const everydayTask = (random: SeededRandom): RetrievalTask => {
  const [heldOut, training] = [actionsOf('held-out'), actionsOf('training')];
  const documents = [...heldOut, ...training].map((action) => action.text(random));
  return {
    name: 'everyday',
    description:
      'actions of everyday life that the training never saw, among all of them; each word ' +
      'was seen with other words',
    queries: heldOut.map((action, at) => differentText(action, documents[at] ?? '', random)),
    documents,
    answers: heldOut.map((_, at) => at),
  };
};

const unseenWordsTask = (random: SeededRandom): RetrievalTask => {
  const [heldOut, training] = [actionsOf('held-out'), actionsOf('training')];
  const actions = [...heldOut, ...training];
  const documents = actions.map((action) => action.text(random));
  const asked = heldOut.flatMap((action, at) => {
    const query = unseenTextOf(action, random);
    return query === null ? [] : [{ query, at }];
  });
  return {
    name: 'unseen-words',
    description: 'the same, asked with a word or phrase that the training never saw',
    queries: asked.map(({ query }) => query),
    documents,
    answers: asked.map(({ at }) => at),
  };
};

const quipuTask = (random: SeededRandom): RetrievalTask => {
  const topics = topicsOf('held-out');
  return {
    name: 'quipu',
    description:
      'questions about Quipu in phrasings that the training never saw, for their answers',
    queries: topics.map((topic) => topic.question(random)),
    documents: topics.map((topic) => topic.answer(random)),
    answers: topics.map((_, at) => at),
  };
};

/** The same texts on every machine. */
export const retrievalTasks = (): readonly RetrievalTask[] => {
  const random = seededRandom(SEED);
  return [everydayTask(random), unseenWordsTask(random), quipuTask(random)];
};

const dot = (one: Float32Array, other: Float32Array): number => {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
};

/** A document that ties with the right one counts as if it were better. */
const rankOf = (
  query: Float32Array,
  documents: readonly Float32Array[],
  answer: number,
): number => {
  const right = dot(query, documents[answer] ?? new Float32Array());
  return documents.filter((document, at) => at === answer || dot(query, document) >= right).length;
};

/** @param embed gives vectors of unit length, or of length 0 */
export const scoreOf = (
  { queries, documents, answers }: RetrievalTask,
  embed: (text: string) => Float32Array,
): RetrievalScore => {
  const vectors = documents.map(embed);
  const ranks = queries.map((query, at) => rankOf(embed(query), vectors, answers[at] ?? 0));
  const mean = (gain: (rank: number) => number): number =>
    ranks.reduce((sum, rank) => sum + gain(rank), 0) / ranks.length;
  return {
    recallAt1: mean((rank) => (rank === 1 ? 1 : 0)),
    mrr: mean((rank) => 1 / rank),
    ndcgAt10: mean((rank) => (rank <= 10 ? 1 / Math.log2(rank + 1) : 0)),
  };
};
