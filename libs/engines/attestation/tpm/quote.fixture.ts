import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type Binding, bindingDigest } from '../binding.js';
import { type TpmEvidence } from './verify-quote.js';

const sized = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

export interface QuoteFields {
  readonly magic?: string;
  readonly type?: string;
  readonly extraData?: Buffer;
  /** Of the bank SHA-256: three bytes of register bits, in hex. */
  readonly selection?: string;
  readonly tail?: string;
  readonly pcrDigest?: Buffer;
}

/** The bytes of a quote, as a TPM writes them. */
export const quoteBytes = (fields: QuoteFields = {}): Buffer =>
  Buffer.concat([
    Buffer.from((fields.magic ?? 'ff544347') + (fields.type ?? '8018'), 'hex'),
    sized(Buffer.from('000b', 'hex')),
    sized(fields.extraData ?? Buffer.from('00112233', 'hex')),
    // Clock, reset count, restart count, safe, firmware version.
    Buffer.from('00000000000004c3' + '00000001' + '00000000' + '01' + '2019102300163636', 'hex'),
    Buffer.from('00000001' + '000b' + '03' + (fields.selection ?? '850000'), 'hex'),
    sized(fields.pcrDigest ?? Buffer.alloc(32)),
    Buffer.from(fields.tail ?? '', 'hex'),
  ]);

/** A TPM whose key is in the test: it signs whatever it is given. */
export class SoftTpm {
  readonly #ak: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } =
    generateKeyPairSync('ec', { namedCurve: 'P-256' });

  evidence(binding: Binding, pcrs: TpmEvidence['pcrs'], fields: QuoteFields = {}): TpmEvidence {
    const values = Buffer.from(pcrs.pcr_0 + pcrs.pcr_2 + pcrs.pcr_7, 'hex');
    const quote = quoteBytes({
      extraData: bindingDigest(binding),
      pcrDigest: createHash('sha256').update(values).digest(),
      ...fields,
    });
    return {
      type: 'tpm2',
      log: binding.log,
      quote: quote.toString('base64'),
      signature: sign('sha256', quote, this.#ak.privateKey).toString('base64'),
      ak_pem: this.#ak.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
      pcrs,
    };
  }
}
