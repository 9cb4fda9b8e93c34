/** Dialogues and short prose about Quipu, drawn from a seed: what the built-in model learns from. */
import { NANO_CORPUS, type Corpus } from './corpora.js';
import type { Topic } from './topic.js';
import { OFF_TOPIC_ANSWER, offTopicQuestion, UNCLEAR_ANSWER, unclearQuestion } from './refusals.js';
import { stableHash, type SeededRandom } from '#engines/training/seeded-random.js';

export interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export type Split = 'training' | 'held-out';

/** Of a hundred phrasings, how many the training never sees. */
const HELD_OUT_PERCENT = 7;

/** A phrasing belongs to one split for ever, by its own words and not by the order of drawing. */
const splitOf = (topicId: string, question: string): Split =>
  stableHash(`${topicId}/${question}`) % 100 < HELD_OUT_PERCENT ? 'held-out' : 'training';

const SYSTEM_PROMPTS: readonly string[] = [
  'You are a helpful assistant.',
  'You are a helpful assistant',
  'You are NAME, the built-in model of Quipu.',
  'Answer briefly.',
  'Answer questions about Quipu.',
  'You are a friendly and concise assistant.',
  'Be short and precise.',
  'You are an expert on the Quipu gateway.',
  'You are an AI model.',
];

const OPENINGS = words(
  'Hi, |Hello! |Hey, |Please tell me: |Quick question: |Excuse me, |NAME_CAPITAL, |Sorry, |OK, |So, |And |Well, |Hi NAME! |One more question: ',
);
const CLOSINGS = words(
  ' Thanks.| Thank you!| Please.| Please answer briefly.| Answer in one sentence.| I am new here.| Keep it short.',
);
const FOLLOW_UPS = words(
  'Tell me more.|Can you say that again?|Please repeat that.|Say it in other words.|Go on.|Can you rephrase that?|I did not get that.|Once more, please.|What do you mean?|Explain that again.',
);

function words(list: string): readonly string[] {
  return list.split('|');
}

/** NAME stands for the name of the model. */
const named = (text: string, { modelName }: Corpus): string =>
  text
    .replace('NAME_CAPITAL', modelName.charAt(0).toUpperCase() + modelName.slice(1))
    .replace('NAME', modelName);

const phrasings = (topic: Topic, corpus: Corpus): readonly (readonly string[])[] => {
  const framed = (frames: readonly string[], phrases: readonly string[] = []): string[] =>
    frames.flatMap((frame) => phrases.map((phrase) => frame.replace('{}', phrase)));
  const kinds = [
    framed(corpus.whatFrames, topic.what),
    framed(corpus.howFrames, topic.how),
    topic.ask ?? [],
  ];
  return kinds.filter((kind) => kind.length > 0);
};

/** What one dialogue is drawn from. */
export interface Drawing {
  readonly split: Split;
  readonly corpus: Corpus;
  readonly random: SeededRandom;
  readonly commonShare: number;
}

type Questions = readonly (readonly string[])[];

/** Split once for each topic: a batch draws hundreds of questions, out of thousands. */
const questionsBySplit = new WeakMap<Corpus, Map<Topic, Readonly<Record<Split, Questions>>>>();

const questionsOf = (topic: Topic, corpus: Corpus): Readonly<Record<Split, Questions>> => {
  const splits = questionsBySplit.get(corpus) ?? new Map<Topic, Record<Split, Questions>>();
  questionsBySplit.set(corpus, splits);
  const known = splits.get(topic);
  if (known) return known;
  const kinds = phrasings(topic, corpus);
  const of = (split: Split): Questions =>
    kinds
      .map((kind) => kind.filter((question) => splitOf(topic.id, question) === split))
      .filter((kind) => kind.length > 0);
  const questions = { training: of('training'), 'held-out': of('held-out') };
  splits.set(topic, questions);
  return questions;
};

/** Every question about a topic that belongs to a split. */
export const phrasingsOf = (
  topic: Topic,
  split: Split,
  corpus: Corpus = NANO_CORPUS,
): readonly string[] => questionsOf(topic, corpus)[split].flat();

const questionAbout = (topic: Topic, { split, corpus, random }: Drawing): string | undefined => {
  const kinds = questionsOf(topic, corpus)[split];
  return kinds.length === 0 ? undefined : random.pick(random.pick(kinds));
};

export const compose = (answer: readonly (readonly string[])[], random: SeededRandom): string =>
  answer.map((alternatives) => random.pick(alternatives)).join(' ');

/** Drops, doubles or swaps one letter of one longer word. */
const withTypo = (text: string, random: SeededRandom): string => {
  const parts = text.split(' ');
  const index = random.below(parts.length);
  const word = parts[index] ?? '';
  if (word.length < 5) return text;
  const at = 1 + random.below(word.length - 3);
  const [a = '', b = ''] = word.slice(at, at + 2);
  parts[index] = word.slice(0, at) + random.pick([b, b + a, a + a + b]) + word.slice(at + 2);
  return parts.join(' ');
};

const lowerFirst = (text: string): string =>
  /^(I |I'|API|GGUF|GPU|CUDA|Quipu|OpenAI)/.test(text)
    ? text
    : text.charAt(0).toLowerCase() + text.slice(1);

/** The way people really type: contractions, no capitals, no full stop, a greeting, a slip. */
const asTyped = (question: string, { corpus, random }: Drawing): string => {
  let text = question;
  if (random.next() < 0.35) {
    text = text
      .replace(/^What is /, "What's ")
      .replace(/\bdo not\b/, "don't")
      .replace(/^I am /, "I'm ");
  }
  if (random.next() < 0.12) text = named(random.pick(OPENINGS), corpus) + lowerFirst(text);
  if (random.next() < 0.08) text += random.pick(CLOSINGS);
  if (random.next() < 0.25) text = text.toLowerCase();
  if (random.next() < 0.25) text = text.replace(/[.?!]$/, '');
  if (random.next() < 0.07) text = withTypo(text, random);
  return text;
};

export interface Exchange {
  /** `off-topic` and `unclear` for questions that are declined. */
  readonly topicId: string;
  readonly question: string;
  /** Per sentence, the alternatives. */
  readonly answer: readonly (readonly string[])[];
}

/** A common question, unless its phrasing belongs to the other split. */
const commonExchange = ({ split, corpus, random }: Drawing): Exchange | undefined => {
  const [id, question] = random.pick(corpus.commonQuestions);
  const topic = corpus.topics.find((candidate) => candidate.id === id);
  return topic !== undefined && splitOf(id, question) === split
    ? { topicId: topic.id, question, answer: topic.answer }
    : undefined;
};

/** A question of the split, as it is spelled correctly, and its answer. */
export const exchange = (drawing: Drawing): Exchange => {
  const { split, corpus, random, commonShare } = drawing;
  for (;;) {
    if (commonShare > 0 && random.next() < commonShare) {
      const common = commonExchange(drawing);
      if (common !== undefined) return common;
    }
    const draw = random.next();
    if (draw < 0.13) {
      const question = offTopicQuestion(random, corpus);
      if (splitOf('off-topic', question) === split) {
        return { topicId: 'off-topic', question, answer: OFF_TOPIC_ANSWER };
      }
    } else if (draw < 0.15) {
      return { topicId: 'unclear', question: unclearQuestion(random), answer: UNCLEAR_ANSWER };
    } else {
      const topic = random.pick(corpus.topics);
      const question = questionAbout(topic, drawing);
      if (question !== undefined) return { topicId: topic.id, question, answer: topic.answer };
    }
  }
};

/**
 * One to three exchanges, sometimes under a system message, sometimes asking again. `commonShare`
 * of the questions come from the short list of common ones.
 */
export const dialogue = (
  split: Split,
  random: SeededRandom,
  commonShare = 0,
  corpus: Corpus = NANO_CORPUS,
): Turn[] => {
  const drawing: Drawing = { split, corpus, random, commonShare };
  const turns: Turn[] = [];
  if (random.next() < 0.3) {
    turns.push({ role: 'system', content: named(random.pick(SYSTEM_PROMPTS), corpus) });
  }
  const exchanges = random.pick([1, 1, 1, 1, 2, 2, 3]);
  let last: Exchange | undefined;
  for (let index = 0; index < exchanges; index += 1) {
    const again = last !== undefined && random.next() < 0.15;
    const next: Exchange =
      again && last !== undefined
        ? { ...last, question: random.pick(FOLLOW_UPS) }
        : exchange(drawing);
    turns.push({ role: 'user', content: asTyped(next.question, drawing) });
    turns.push({ role: 'assistant', content: compose(next.answer, random) });
    last = next;
  }
  return turns;
};

/** A paragraph that says what a few topics say, without a question. */
export const paragraph = (random: SeededRandom, corpus: Corpus = NANO_CORPUS): string =>
  Array.from({ length: 1 + random.below(3) }, () =>
    compose(random.pick(corpus.topics).answer, random),
  ).join(' ');
