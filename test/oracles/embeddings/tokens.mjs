/**
 * Records what js-tiktoken, another implementation of `cl100k_base`, makes of some texts.
 *
 *   npm install --no-save js-tiktoken@1.0.21 && node test/oracles/embeddings/tokens.mjs
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Tiktoken } from 'js-tiktoken/lite';
import ranks from 'js-tiktoken/ranks/cl100k_base';

const TEXTS = [
  'Hello world',
  'What is a hold?',
  '  two  spaces,\ttabs\r\n\r\nand lines  ',
  'Größe, naïve, façade; 12345678 and 3.14',
  '不加标点的中文 かな カナ 한국어',
  "I'll don't WE'VE it's",
  '👩‍👩‍👧 emoji 🧵🪢',
  '<|endoftext|> is text here, and <|fim_prefix|> is, too',
  'function knots(cord) { return cord.filter((one) => one !== undefined); }',
  'a'.repeat(100),
  '====----====!!!???',
  'مرحبا بالعالم שלום עולם',
];

const encoder = new Tiktoken(ranks);
const vectors = TEXTS.map((text) => ({ text, tokens: encoder.encode(text, [], []) }));
const file = fileURLToPath(new URL('tokens.json', import.meta.url));
await writeFile(file, `${JSON.stringify({ program: 'js-tiktoken 1.0.21', vectors }, null, 2)}\n`);
