/** Answers in toy languages: a rule for each word. */
import { type AdapterTask, answering, sentencesOf, wordsOf } from './adapter.task.js';

const eachWord =
  (change: (word: string, index: number) => string) =>
  (text: string): string =>
    wordsOf(text).map(change).join(' ');

const pigLatin = (word: string): string =>
  word.replace(/^([^aeiouAEIOU\W]+)(\w*)/, '$2$1ay').replace(/^([aeiou]\w*)$/i, '$1way');

const shout = (word: string, index: number): string =>
  index % 2 === 0 ? word.toUpperCase() : word;

const LEET: Readonly<Record<string, string>> = { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7' };

const RULES: readonly (readonly [slug: string, rule: string, of: (text: string) => string])[] = [
  ['pig-latin', 'The first consonants go to the end, with ay.', eachWord(pigLatin)],
  ['oppish', 'Op follows each first letter.', eachWord((word) => word.replace(/^(\w)/, '$1op'))],
  ['ly', 'Every word ends with ly.', eachWord((word) => word.replace(/(\w+)(\W*)$/, '$1ly$2'))],
  [
    'leet',
    'Digits for letters.',
    (text) => text.replace(/[aeiost]/g, (letter) => LEET[letter] ?? letter),
  ],
  ['no-vowels', 'Without vowels.', (text) => text.replace(/[aeiou]/g, '')],
  ['one-vowel', 'Every vowel is an o.', (text) => text.replace(/[aeiu]/g, 'o')],
  [
    'smurf',
    'Every third word is smurf.',
    eachWord((word, index) => (index % 3 === 2 ? 'smurf' : word)),
  ],
  [
    'buffalo',
    'Every other word is quipu.',
    eachWord((word, index) => (index % 2 === 1 ? 'quipu' : word)),
  ],
  ['stutter', 'Words begin twice.', eachWord((word) => word.replace(/^(\w)/, '$1-$1'))],
  ['twice', 'Every word twice.', eachWord((word) => `${word} ${word}`)],
  ['turned-words', 'The words from last to first.', (text) => wordsOf(text).toReversed().join(' ')],
  [
    'turned-sentences',
    'The sentences from last to first.',
    (text) => sentencesOf(text).toReversed().join(' '),
  ],
  [
    'mirrored',
    'Each word from its end.',
    eachWord((word) => Array.from(word).toReversed().join('')),
  ],
  ['snake-case', 'Joined_by_lines.', (text) => wordsOf(text).join('_')],
  ['kebab-case', 'Joined-by-hyphens.', (text) => wordsOf(text).join('-')],
  ['slashes', 'Joined/by/slashes.', (text) => wordsOf(text).join('/')],
  ['commas', 'Commas, between, words.', (text) => wordsOf(text).join(', ')],
  ['run-together', 'Nospaces.', (text) => wordsOf(text).slice(0, 8).join('')],
  ['loud', 'EVERY other WORD loud.', eachWord(shout)],
  [
    'meow',
    'A cat between the sentences.',
    (text) => `Meow. ${sentencesOf(text).join(' Meow. ')} Purr.`,
  ],
  ['telegram', 'STOP for every full stop.', (text) => text.replace(/\./g, ' STOP')],
  ['beep', 'Long words are beeped.', eachWord((word) => (word.length > 8 ? 'BEEP' : word))],
  ['five-words', 'Only five words.', (text) => wordsOf(text).slice(0, 5).join(' ')],
  [
    'acronym',
    'The first letters.',
    (text) =>
      wordsOf(text)
        .map((word) => word.charAt(0).toUpperCase())
        .join('.'),
  ],
];

export const WORD_GAME_TASKS: readonly AdapterTask[] = RULES.map(([slug, rule, of]) =>
  answering('word-game', slug, rule, ({ answer }) => of(answer)),
);
