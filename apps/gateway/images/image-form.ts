import { boundedBytes } from '#platform/kernel/bounded-bytes.js';
import { HttpFailure } from '../errors/http-failure.js';
import { type FormPart } from '../uploads/form-part.js';

/** Of the picture in a form. */
export const IMAGE_BYTES_MAX = 8 * 1_024 * 1_024;
const NAME_LENGTH_MAX = 64;
/** As OpenAI's client names a picture, and the first of several. */
const IMAGE_NAMES = new Set(['image', 'image[]']);

export interface ImageForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly image: Buffer;
}

const invalid = (param: string, message: string, status = 400): HttpFailure =>
  new HttpFailure({ status, code: 'invalid_request', message: `${param}: ${message}`, param });

const tooLarge = (): HttpFailure =>
  invalid('image', `expected at most ${IMAGE_BYTES_MAX} bytes, received more`, 413);

/**
 * The picture of a form and its other fields, in bounded memory.
 * @throws HttpFailure for a form without a picture, with several, or with a mask
 */
export const readImageForm = async (parts: AsyncIterable<FormPart>): Promise<ImageForm> => {
  const fields = new Map<string, string>();
  let [image, fault]: [Buffer | undefined, HttpFailure | undefined] = [undefined, undefined];
  for await (const part of parts) {
    if (part.kind === 'field') fields.set(part.name, part.value);
    else {
      // Also of a form that is rejected: a client that is still sending does not read the answer.
      const content = await boundedBytes(part.content, IMAGE_BYTES_MAX, tooLarge);
      if (!IMAGE_NAMES.has(part.name)) {
        fault ??= invalid(part.name.slice(0, NAME_LENGTH_MAX), 'this file is not supported');
      } else if (image) fault ??= invalid('image', 'expected one picture, received several');
      else image = content;
    }
  }
  if (fault) throw fault;
  if (!image) throw invalid('image', 'expected a PNG file, received nothing');
  return { fields, image };
};
