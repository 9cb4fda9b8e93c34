/**
 * Texts that mean the same, drawn from a seed: everyday English from the lexicon, and questions
 * about Quipu with their answers from the corpus of the built-in model.
 */
import { NANO_CORPUS } from '../corpus/corpora.js';
import { phrasingsOf, type Split } from '../corpus/corpus.generator.js';
import { type Topic } from '../corpus/topic.js';
import { type SeededRandom, stableHash } from '#engines/training/seeded-random.js';
import { ACTION_FRAMES, FIELDS } from './lexicon.js';

/** Something that texts can say; two texts of one meaning are paraphrases. */
export interface Meaning {
  readonly id: string;
  /** One of the texts of its split. */
  text(random: SeededRandom): string;
}

/** Of a hundred meanings, how many the training never sees. */
const HELD_OUT_MEANINGS_PERCENT = 12;
/** Of a hundred words with synonyms, how many the training never sees. */
const HELD_OUT_WORDS_PERCENT = 12;

const alternativesOf = (group: string): readonly string[] => group.split('|');

const isUnseen = (phrase: string): boolean =>
  stableHash(`word/${phrase}`) % 100 < HELD_OUT_WORDS_PERCENT;

/** What the training may say of a group: never less than one of its words. */
export const seenWordsOf = (group: string): readonly string[] => {
  const all = alternativesOf(group);
  const seen = all.filter((phrase) => !isUnseen(phrase));
  return seen.length > 0 ? seen : all.slice(0, 1);
};

/** The words of a group that the training never sees. */
export const unseenWordsOf = (group: string): readonly string[] => {
  const seen = new Set(seenWordsOf(group));
  return alternativesOf(group).filter((phrase) => !seen.has(phrase));
};

/** Every phrase of the lexicon that the training never sees. */
export const unseenPhrases = (): readonly string[] =>
  FIELDS.flatMap(({ verbs, objects }) => [...verbs, ...objects]).flatMap(unseenWordsOf);

const framed = (verb: string, object: string, random: SeededRandom): string => {
  const text = random.pick(ACTION_FRAMES).replace('{}', `${verb} ${object}`);
  return random.next() < 0.2 ? text.toLowerCase() : text;
};

export interface Action extends Meaning {
  readonly field: string;
  readonly verb: string;
  readonly object: string;
}

const ACTIONS: readonly Action[] = FIELDS.flatMap(({ name, verbs, objects }) =>
  verbs.flatMap((verb) =>
    objects.map((object): Action => ({
      id: `${name}/${verb}/${object}`,
      field: name,
      verb,
      object,
      text: (random) =>
        framed(random.pick(seenWordsOf(verb)), random.pick(seenWordsOf(object)), random),
    })),
  ),
);

/** A meaning belongs to one split for ever. */
const isHeldOut = ({ id }: Action): boolean => stableHash(id) % 100 < HELD_OUT_MEANINGS_PERCENT;

export const actionsOf = (split: Split): readonly Action[] =>
  ACTIONS.filter((action) => isHeldOut(action) === (split === 'held-out'));

export interface Asked extends Meaning {
  question(random: SeededRandom): string;
  answer(random: SeededRandom): string;
}

const answerOf = ({ answer }: Topic, random: SeededRandom): string =>
  answer.map((alternatives) => random.pick(alternatives)).join(' ');

/** A question for an answer, as often as another question. */
const ANSWER_SHARE = 0.5;

/** Topics are in both splits, by different phrasings of their questions. */
export const topicsOf = (split: Split): readonly Asked[] =>
  NANO_CORPUS.topics.flatMap((topic) => {
    const questions = phrasingsOf(topic, split);
    if (questions.length === 0) return [];
    const question = (random: SeededRandom): string => random.pick(questions);
    const answer = (random: SeededRandom): string => answerOf(topic, random);
    const text = (random: SeededRandom): string =>
      random.next() < ANSWER_SHARE ? answer(random) : question(random);
    return [{ id: topic.id, question, answer, text }];
  });

/** A text with an unseen word in it, or null for a meaning without one. */
export const unseenTextOf = ({ verb, object }: Action, random: SeededRandom): string | null => {
  const [verbs, objects] = [unseenWordsOf(verb), unseenWordsOf(object)];
  if (objects.length > 0)
    return framed(random.pick(seenWordsOf(verb)), random.pick(objects), random);
  if (verbs.length > 0) return framed(random.pick(verbs), random.pick(seenWordsOf(object)), random);
  return null;
};
