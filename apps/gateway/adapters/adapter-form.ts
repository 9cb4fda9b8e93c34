import { type FastifyRequest } from 'fastify';
import { type AdapterFilesToUpload } from '#areas/adapters/upload-adapter.handler.js';
import { CONFIG_BYTES_MAX } from '#areas/adapters/lora/peft-config.js';
import { HttpFailure } from '../errors/http-failure.js';

const CONFIG = 'adapter_config.json';
const WEIGHTS = 'adapter_model.safetensors';
const FIELDS = ['slug', 'category', 'base_model'] as const;

type Form = ReturnType<FastifyRequest['parts']>;

/**
 * The form of an adapter as `peft` saves it, in memory.
 * @param weightBytesMax of `adapter_model.safetensors`; reading stops behind it
 * @throws HttpFailure 415 without a form, 413 for a file that is too large, 400 for what is missing
 */
export const adapterFormOf = async (
  request: FastifyRequest,
  weightBytesMax: number,
): Promise<AdapterFilesToUpload> => {
  if (!request.isMultipart()) {
    const message = 'the body must be multipart/form-data';
    throw new HttpFailure({ status: 415, code: 'unsupported_media_type', message });
  }
  const bytesMax = { [CONFIG]: CONFIG_BYTES_MAX, [WEIGHTS]: weightBytesMax };
  const { fields, files } = await read(request.parts(), bytesMax);
  const [slug, category, baseModel] = FIELDS.map((name) => fields.get(name) ?? missing(name));
  const config = (files.get(CONFIG) ?? missing(CONFIG)).toString('utf8');
  const weights = files.get(WEIGHTS) ?? missing(WEIGHTS);
  return {
    slug: slug ?? '',
    category: category ?? '',
    baseModel: baseModel ?? '',
    config,
    weights,
  };
};

const read = async (form: Form, bytesMax: Readonly<Record<string, number>>) => {
  const fields = new Map<string, string>();
  const files = new Map<string, Buffer>();
  try {
    for await (const part of form) {
      const { fieldname: name } = part;
      if (part.type === 'field') {
        fields.set(name, String(part.value));
        continue;
      }
      const limit = bytesMax[name];
      if (limit === undefined) throw invalid(name, `is none of the files ${CONFIG} and ${WEIGHTS}`);
      files.set(name, await contentOf(name, part.file, limit));
    }
  } catch (error) {
    if (error instanceof Error && !(error instanceof HttpFailure) && !('statusCode' in error)) {
      throw invalid('form', error.message);
    }
    throw error;
  }
  return { fields, files };
};

const contentOf = async (
  name: string,
  content: AsyncIterable<Buffer>,
  bytesMax: number,
): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > bytesMax) {
      const message = `${name} has more than ${bytesMax} bytes`;
      throw new HttpFailure({ status: 413, code: 'adapter_too_large', message, param: name });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};

const invalid = (param: string, detail: string): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'adapter_form_invalid',
    message: `${param}: ${detail}`,
    param,
  });

const missing = (name: string): never => {
  throw invalid(name, 'is missing');
};
