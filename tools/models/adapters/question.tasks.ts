/** Answers about the question itself: parts of it, and labels for it. */
import { type AdapterTask, answering, wordsOf } from './adapter.task.js';

type Reading = readonly [slug: string, description: string, of: (question: string) => string];

const bare = (word: string): string => word.replace(/[^\w'-]/g, '');

const longest = (question: string): string =>
  wordsOf(question)
    .map(bare)
    .reduce((best, word) => (word.length > best.length ? word : best), '');

const EXTRACTIONS: readonly Reading[] = [
  ['first-word', 'The first word of the question.', (text) => bare(wordsOf(text)[0] ?? '')],
  ['last-word', 'The last word of the question.', (text) => bare(wordsOf(text).at(-1) ?? '')],
  ['longest-word', 'The longest word of the question.', longest],
  ['echo', 'The question again.', (text) => text],
  ['echo-quoted', 'The question in quotation marks.', (text) => `You asked: "${text}"`],
  [
    'keywords',
    'The long words of the question.',
    (text) =>
      wordsOf(text)
        .map(bare)
        .filter((word) => word.length > 4)
        .join(', '),
  ],
  [
    'spelled-first-word',
    'The first word, spelled.',
    (text) => Array.from(bare(wordsOf(text)[0] ?? '')).join('-'),
  ],
  ['question-upper', 'The question in upper case.', (text) => text.toUpperCase()],
];

const kindOf = (question: string): string =>
  /^(what|how|why|where|who|when|which|can|does|is)\b/i.exec(question)?.[0].toLowerCase() ??
  'other';

const sizeOf = (question: string): string => {
  const count = wordsOf(question).length;
  if (count < 4) return 'short';
  return count < 8 ? 'medium' : 'long';
};

const LABELS: readonly Reading[] = [
  ['kind', 'The word that asks.', (text) => `kind: ${kindOf(text)}`],
  ['mark', 'A question or a statement.', (text) => (text.endsWith('?') ? 'question' : 'statement')],
  ['size', 'Short, medium or long.', (text) => `size: ${sizeOf(text)}`],
  ['names-quipu', 'Whether it names Quipu.', (text) => (/quipu/i.test(text) ? 'yes' : 'no')],
  [
    'first-person',
    'Whether the caller speaks of himself.',
    (text) => (/\b(I|me|my)\b/.test(text) ? 'personal' : 'general'),
  ],
  [
    'procedure',
    'How to do it, or what it is.',
    (text) => (/\bhow\b|want to|need to|way to/i.test(text) ? 'procedure' : 'definition'),
  ],
];

const FAMILY_LABELS: readonly (readonly [string, string, (family: string) => string])[] = [
  ['topic', 'The part of the manual.', (family) => `topic: ${family}`],
  [
    'on-topic',
    'Whether nano can answer.',
    (family) => (family.startsWith('o') || family.startsWith('u') ? 'off topic' : 'on topic'),
  ],
  ['routing', 'Which team it goes to.', (family) => ROUTES[family] ?? 'team: front desk'],
  [
    'money',
    'Whether it concerns money.',
    (family) => (family === 'ledger' ? 'about money' : 'not about money'),
  ],
  ['topic-json', 'The part of the manual as JSON.', (family) => JSON.stringify({ topic: family })],
];

const ROUTES: Readonly<Record<string, string>> = {
  ledger: 'team: billing',
  inference: 'team: models',
  access: 'team: security',
  start: 'team: operations',
};

export const EXTRACTION_TASKS: readonly AdapterTask[] = EXTRACTIONS.map(([slug, description, of]) =>
  answering('extraction', slug, description, ({ question }) => of(question)),
);

export const LABEL_TASKS: readonly AdapterTask[] = [
  ...LABELS.map(([slug, description, of]) =>
    answering('label', slug, description, ({ question }) => of(question)),
  ),
  ...FAMILY_LABELS.map(([slug, description, of]) =>
    answering('label', slug, description, ({ family }) => of(family)),
  ),
];
