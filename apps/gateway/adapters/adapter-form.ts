import { type FastifyRequest } from 'fastify';
import { type AdapterFilesToUpload } from '#areas/adapters/upload-adapter.handler.js';
import { CONFIG_BYTES_MAX } from '#areas/adapters/lora/peft-config.js';
import { boundedBytes } from '#platform/kernel/bounded-bytes.js';
import { HttpFailure } from '../errors/http-failure.js';
import { type FormPart } from '../uploads/form-part.js';
import { multipartOf } from '../uploads/form-parts.js';

const CONFIG = 'adapter_config.json';
const WEIGHTS = 'adapter_model.safetensors';
const FIELDS = ['slug', 'category', 'base_model'] as const;

/**
 * The form of an adapter as `peft` saves it, in memory.
 * @param weightBytesMax of `adapter_model.safetensors`; reading stops behind it
 * @throws HttpFailure 415 for a request that is no form, 413 for a file that is too large, 400 for
 *   a missing part
 */
export const adapterFormOf = async (
  request: FastifyRequest,
  weightBytesMax: number,
): Promise<AdapterFilesToUpload> => {
  const bytesMax = { [CONFIG]: CONFIG_BYTES_MAX, [WEIGHTS]: weightBytesMax };
  const { fields, files } = await read(multipartOf(request), bytesMax);
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

const read = async (form: AsyncIterable<FormPart>, bytesMax: Readonly<Record<string, number>>) => {
  const fields = new Map<string, string>();
  const files = new Map<string, Buffer>();
  for await (const part of form) {
    const { name } = part;
    if (part.kind === 'field') {
      fields.set(name, part.value);
      continue;
    }
    const limit = bytesMax[name];
    if (limit === undefined) throw invalid(name, `expected ${CONFIG} or ${WEIGHTS}`);
    files.set(name, await contentOf(name, part.content, limit));
  }
  return { fields, files };
};

const contentOf = (
  name: string,
  content: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Buffer> =>
  boundedBytes(content, bytesMax, () => {
    const message = `${name} has more than ${bytesMax} bytes`;
    return new HttpFailure({ status: 413, code: 'adapter_too_large', message, param: name });
  });

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
