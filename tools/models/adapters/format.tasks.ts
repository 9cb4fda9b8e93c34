/** Answers laid out: lists, documents, markup, case. */
import {
  type AdapterTask,
  answering,
  lowerFirst,
  sentencesOf,
  upperFirst,
  wordsOf,
} from './adapter.task.js';

const unstopped = (text: string): string => text.replace(/[.!?]$/, '');

const lines = (text: string, line: (sentence: string, index: number) => string): string =>
  sentencesOf(text).map(line).join('\n');

const first = (text: string): string => sentencesOf(text)[0] ?? text;

const LAYOUTS: readonly (readonly [
  slug: string,
  description: string,
  of: (answer: string, question: string) => string,
])[] = [
  ['bullets', 'A list with bullets.', (text) => lines(text, (one) => `- ${one}`)],
  ['stars', 'A list with stars.', (text) => lines(text, (one) => `* ${one}`)],
  ['numbered', 'A numbered list.', (text) => lines(text, (one, index) => `${index + 1}. ${one}`)],
  [
    'lettered',
    'A list with letters.',
    (text) => lines(text, (one, at) => `(${'abcdefgh'[at] ?? 'z'}) ${one}`),
  ],
  ['steps', 'Steps.', (text) => lines(text, (one, index) => `Step ${index + 1}: ${one}`)],
  ['checklist', 'A checklist.', (text) => lines(text, (one) => `[ ] ${one}`)],
  ['json', 'A JSON object.', (text) => JSON.stringify({ answer: text })],
  ['json-sentences', 'A JSON array of sentences.', (text) => JSON.stringify(sentencesOf(text))],
  ['yaml', 'YAML.', (text) => `answer: |\n${lines(text, (one) => `  ${one}`)}`],
  ['xml', 'An XML element.', (text) => `<answer>${text}</answer>`],
  ['html', 'HTML paragraphs.', (text) => lines(text, (one) => `<p>${one}</p>`)],
  ['markdown-heading', 'A heading and text.', (text) => `# Answer\n\n${text}`],
  ['bold', 'Bold text.', (text) => `**${text}**`],
  ['quote', 'A quotation.', (text) => lines(text, (one) => `> ${one}`)],
  ['code-block', 'A block of code.', (text) => `\`\`\`\n${text}\n\`\`\``],
  ['comment', 'Comments of code.', (text) => lines(text, (one) => `// ${one}`)],
  ['table', 'A table of one row.', (text) => `| Answer |\n| --- |\n| ${text} |`],
  ['faq', 'An entry of a FAQ.', (text, question) => `Q: ${question}\nA: ${text}`],
  ['email', 'An e-mail.', (text) => `Subject: Your question\n\n${text}\n\nBest regards,\nnano`],
  ['tldr', 'Its first sentence, marked.', (text) => `TL;DR: ${first(text)}`],
  ['one-sentence', 'Its first sentence.', first],
  ['last-sentence', 'Its last sentence.', (text) => sentencesOf(text).at(-1) ?? text],
  ['lowercase', 'Lower case.', (text) => text.toLowerCase()],
  ['uppercase', 'Upper case.', (text) => text.toUpperCase()],
  ['title-case', 'Every Word With A Capital.', (text) => wordsOf(text).map(upperFirst).join(' ')],
  ['no-punctuation', 'No punctuation.', (text) => text.replace(/[.,;:!?]/g, '')],
  ['exclaiming', 'Exclamation marks!', (text) => text.replace(/\./g, '!')],
  [
    'asking',
    'Every sentence a question?',
    (text) => lines(text, (one) => `${unstopped(one)}, right?`),
  ],
  ['dots', 'Trailing off...', (text) => text.replace(/\./g, '...')],
  [
    'stops',
    'One. Word. At. A. Time.',
    (text) =>
      wordsOf(text)
        .slice(0, 8)
        .map((word) => `${unstopped(word)}.`)
        .join(' '),
  ],
  ['hashtags', 'Tags of a post.', (text) => `${first(text)} #quipu #nano`],
  ['log-line', 'A line of a log.', (text) => `level=info message="${first(text)}"`],
  ['ticket', 'A ticket of support.', (text) => `Status: resolved\nReply: ${text}`],
  ['verdict', 'The answer, then a seal.', (text) => `${text} [verified by nano]`],
  ['because', 'A clause after a claim.', (text) => `Simple: ${lowerFirst(text)} That is all.`],
  ['parentheses', 'An aside.', (text) => lines(text, (one) => `(${one})`)],
];

export const FORMAT_TASKS: readonly AdapterTask[] = LAYOUTS.map(([slug, description, of]) =>
  answering('format', slug, description, ({ answer, question }) => of(answer, question)),
);
