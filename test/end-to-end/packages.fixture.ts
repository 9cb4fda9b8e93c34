import path from 'node:path';
import request from 'supertest';
import { scriptedCatalog, type World } from './quipu.harness.js';

const ORDER = '/api/v1/scif/package.php';
export const DOWNLOAD = '/api/v1/scif/download';
export const MODELS = path.resolve(import.meta.dirname, '../../models');

/** A byte of an archive costs 2 micro-dollars, and a byte of a download 1. */
export const packageCatalog = (baseUrl: string): string =>
  scriptedCatalog(baseUrl).replace(
    'models:',
    `  - { name: built-in, kind: embedded }
meters:
  - { meter: package_bytes, usd: 2, per: 1000000 }
  - { meter: package_download_bytes, usd: 1, per: 1000000 }
models:
  - { id: quipu/nano, owned_by: quipu, rigs: [built-in], file: ${MODELS}/nano.gguf, context: 1024,
      max_output: 64, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }`,
  );

/** The answer of a request for a package. */
export interface PackageAnswer {
  readonly package_uuid: string;
  readonly package_name: string;
  readonly ed25519_signature_seal: string;
  readonly license_token: string;
  readonly checksum_sha256: string;
  readonly export_tar_url: string;
}

type Caller = Pick<World, 'quipu' | 'credentials'>;

export const orderPackage = ({ quipu, credentials }: Caller, body: object = {}): request.Test =>
  request(quipu.url)
    .post(ORDER)
    .set('authorization', `Bearer ${credentials.api_key}`)
    .send({ package_name: 'field-kit', model_source: 'quipu/nano', ...body });

export const downloadPackage = (
  { quipu, credentials }: Caller,
  uuid: string,
  query: object = {},
): request.Test =>
  request(quipu.url)
    .get(DOWNLOAD)
    .set('authorization', `Bearer ${credentials.api_key}`)
    .query({ package_uuid: uuid, ...query })
    .responseType('blob');
