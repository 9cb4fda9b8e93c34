import { createHash } from 'node:crypto';
import { z } from 'zod';
import { reject } from './training.decider.js';

/** Of a file, as it is uploaded. */
export const TEXT_BYTES_MAX = 8 * 1_024 * 1_024;
export const DOCUMENTS_MAX = 20_000;
/** One of so many documents is held out, where the text does not say which. */
const HELD_OUT_EVERY = 10;

const Turn = z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() });

/** A line of a JSONL file, in OpenAI's format of chats or as a plain text. */
const Line = z.union([
  z.object({ messages: z.array(Turn).min(1).max(256), heldOut: z.boolean().optional() }),
  z.object({ text: z.string().min(1), heldOut: z.boolean().optional() }),
]);
type Line = z.infer<typeof Line>;

/** Documents for the engine, one a line. */
export interface TrainingText {
  readonly name: string;
  readonly lines: string;
  readonly sha256: string;
  readonly documents: number;
  /** Of the documents that are learned, in UTF-8. */
  readonly bytes: number;
}

/**
 * A JSONL file of chats and texts, or a plain text, whose paragraphs are the documents. Every tenth
 * document is held out, unless lines say which.
 * @throws DomainError `training_text_invalid`, which names the line
 */
export const trainingTextOf = (name: string, content: string): TrainingText => {
  const isJson = content.trimStart().startsWith('{');
  const documents = isJson ? linesIn(content) : paragraphsIn(content);
  if (documents.length < 2) {
    return reject('training_text_invalid', 'the text has fewer than two documents');
  }
  if (documents.length > DOCUMENTS_MAX) {
    return reject('training_text_invalid', `the text has more than ${DOCUMENTS_MAX} documents`);
  }
  const divided = withHeldOut(documents);
  const lines = divided.map((document) => JSON.stringify(document)).join('\n');
  const learned = divided.filter(({ heldOut }) => heldOut !== true);
  return {
    name,
    lines,
    sha256: createHash('sha256').update(lines).digest('hex'),
    documents: learned.length,
    bytes: learned.reduce((sum, document) => sum + Buffer.byteLength(JSON.stringify(document)), 0),
  };
};

/** The documents of the first text are learned, and all of the second are held out. */
export const joined = (learned: TrainingText, heldOut: TrainingText): TrainingText => {
  const marked = (text: TrainingText, isHeldOut: boolean): readonly string[] =>
    text.lines.split('\n').map((line) => {
      const document = JSON.parse(line) as Line;
      return JSON.stringify({ ...document, heldOut: isHeldOut });
    });
  const own = marked(learned, false);
  const lines = [...own, ...marked(heldOut, true)].join('\n');
  return {
    name: learned.name,
    lines,
    sha256: createHash('sha256').update(lines).digest('hex'),
    documents: own.length,
    bytes: own.reduce((sum, line) => sum + Buffer.byteLength(line), 0),
  };
};

const withHeldOut = (documents: readonly Line[]): readonly Line[] => {
  if (documents.some(({ heldOut }) => heldOut === true)) return documents;
  const every = Math.min(HELD_OUT_EVERY, documents.length);
  return documents.map((document, at) =>
    (at + 1) % every === 0 ? { ...document, heldOut: true } : document,
  );
};

const linesIn = (content: string): readonly Line[] =>
  content.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [lineOf(line, at + 1)]));

const lineOf = (line: string, number: number): Line => {
  const expected = 'expected {"messages": [{"role", "content"}, …]} or {"text"}';
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return reject('training_text_invalid', `line ${number}: ${expected}, received no JSON`);
  }
  const parsed = Line.safeParse(value);
  if (parsed.success) return parsed.data;
  return reject('training_text_invalid', `line ${number}: ${expected}`);
};

const paragraphsIn = (content: string): readonly Line[] =>
  content
    .split(/\n[ \t]*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((text) => ({ text }));
