/** What each model of the family learns from. */
import { ACCESS_TOPICS } from './access.topics.js';
import { COMMON_QUESTIONS, MORE_COMMON_QUESTIONS } from './common.questions.js';
import { COMPUTE_TOPICS } from './compute.topics.js';
import { IDENTITY_TOPICS } from './identity.topics.js';
import { INFERENCE_TOPICS } from './inference.topics.js';
import { LEDGER_TOPICS } from './ledger.topics.js';
import { MINI_IDENTITY_TOPICS, withoutTheName } from './mini.topics.js';
import { MORE_HOW_FRAMES, MORE_QUESTIONS, MORE_WHAT_FRAMES } from './more.questions.js';
import { START_TOPICS } from './start.topics.js';
import { HOW_FRAMES, WHAT_FRAMES, type Frames, type Topic } from './topic.js';
import { TRADE_TOPICS } from './trade.topics.js';
import { WORK_TOPICS } from './work.topics.js';

export interface Corpus extends Frames {
  /** What the model calls itself. */
  readonly modelName: string;
  readonly topics: readonly Topic[];
  readonly commonQuestions: readonly (readonly [topicId: string, question: string])[];
}

const WITHOUT_IDENTITY: readonly Topic[] = [
  ...START_TOPICS,
  ...LEDGER_TOPICS,
  ...INFERENCE_TOPICS,
  ...ACCESS_TOPICS,
];

export const NANO_CORPUS: Corpus = {
  modelName: 'nano',
  topics: [...IDENTITY_TOPICS, ...WITHOUT_IDENTITY],
  commonQuestions: COMMON_QUESTIONS,
  whatFrames: WHAT_FRAMES,
  howFrames: HOW_FRAMES,
};

/** What nano has of `spiking` is older than the networks; `COMPUTE_TOPICS` says what there is. */
const SUPERSEDED_TOPIC = 'spiking';

const known = (topics: readonly Topic[]): Topic[] =>
  topics.filter(({ id }) => id !== SUPERSEDED_TOPIC);

/**
 * The part of nano's corpus on which every model of the family learns the same answers: none names
 * the model. Its held-out questions compare the models.
 */
export const SHARED_CORPUS: Corpus = {
  ...NANO_CORPUS,
  topics: known(withoutTheName(NANO_CORPUS.topics)),
};

const withMoreQuestions = (topic: Topic): Topic => ({
  ...topic,
  ask: [...(topic.ask ?? []), ...(MORE_QUESTIONS[topic.id] ?? [])],
});

export const MINI_CORPUS: Corpus = {
  modelName: 'mini',
  topics: [
    ...MINI_IDENTITY_TOPICS,
    ...known(WITHOUT_IDENTITY),
    ...WORK_TOPICS,
    ...COMPUTE_TOPICS,
    ...TRADE_TOPICS,
  ].map(withMoreQuestions),
  commonQuestions: [...COMMON_QUESTIONS, ...MORE_COMMON_QUESTIONS],
  whatFrames: [...WHAT_FRAMES, ...MORE_WHAT_FRAMES],
  howFrames: [...HOW_FRAMES, ...MORE_HOW_FRAMES],
};
