import { chunkOf, chunksOf } from './png.chunks.js';

/** Between the keyword and the text: not compressed, without language and translated keyword. */
const PLAIN = Buffer.alloc(5);

const headOf = (keyword: string): Buffer => Buffer.concat([Buffer.from(keyword, 'latin1'), PLAIN]);

/**
 * A PNG file with one more text (iTXt, UTF-8), before its end.
 * @throws PictureError for a file that is no PNG
 */
export const withText = (file: Buffer, keyword: string, text: string): Buffer => {
  const [end] = [...chunksOf(file)].slice(-1);
  const at = end?.at ?? file.length;
  const chunk = chunkOf('iTXt', Buffer.concat([headOf(keyword), Buffer.from(text)]));
  return Buffer.concat([file.subarray(0, at), chunk, file.subarray(at)]);
};

/**
 * The texts with a keyword, as `withText` writes them; compressed ones are not read.
 * @throws PictureError for a file that is no PNG
 */
export const textsOf = (file: Buffer, keyword: string): readonly string[] => {
  const head = headOf(keyword);
  return [...chunksOf(file)]
    .filter(({ type, data }) => type === 'iTXt' && data.subarray(0, head.length).equals(head))
    .map(({ data }) => data.toString('utf8', head.length));
};
