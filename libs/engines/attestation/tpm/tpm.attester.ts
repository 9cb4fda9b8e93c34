import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Attester } from '../attester.js';
import { type Binding, bindingDigest } from '../binding.js';
import { type Evidence } from '../evidence.js';
import { type PcrMeasurements } from '../measurements.js';
import { runProgram } from '../run-program.js';
import { QUOTED_REGISTERS } from './verify-quote.js';

const SELECTION = `sha256:${QUOTED_REGISTERS.join(',')}`;
const REGISTER_BYTES = 32;

/**
 * Asks a TPM 2.0 for a quote by the tools of tpm2-tools. The attestation key is restricted: the TPM
 * signs with it only what it has produced itself. It is derived from the endorsement hierarchy each
 * time, so it is the same key for the life of the TPM's seed and needs no place to persist.
 */
export class TpmAttester implements Attester {
  readonly teeType = 'tpm2';
  /** A TPM holds few objects: quotes take turns. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param tcti of the TPM, such as `device:/dev/tpmrm0` */
  constructor(private readonly tcti: string) {}

  attest(binding: Binding): Promise<Evidence> {
    const quote = this.#last.then(() => this.#quote(binding));
    this.#last = quote.catch(() => undefined);
    return quote;
  }

  async #quote(binding: Binding): Promise<Evidence> {
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-quote-'));
    const run = (tool: string, ...parameters: readonly string[]): Promise<Buffer> =>
      runProgram(tool, ['-T', this.tcti, ...parameters], folder);
    try {
      await run(
        'tpm2_createprimary',
        ...['-C', 'e', '-G', 'ecc:ecdsa-sha256:null', '-g', 'sha256', '-c', 'ak.ctx'],
        ...['-a', 'fixedtpm|fixedparent|sensitivedataorigin|userwithauth|restricted|sign'],
      );
      await run('tpm2_readpublic', '-c', 'ak.ctx', '-f', 'pem', '-o', 'ak.pem');
      await run(
        'tpm2_quote',
        ...['-c', 'ak.ctx', '-l', SELECTION, '-q', bindingDigest(binding).toString('hex')],
        ...['-g', 'sha256', '-m', 'quote', '-s', 'signature', '-f', 'plain'],
        ...['-o', 'pcrs', '-F', 'values'],
      );
      await run('tpm2_flushcontext', '-t').catch(() => undefined);
      const [quote, signature, akPem, pcrs] = await Promise.all(
        ['quote', 'signature', 'ak.pem', 'pcrs'].map((name) => readFile(path.join(folder, name))),
      );
      if (!quote || !signature || !akPem || !pcrs)
        throw new Error('a file of the quote is missing');
      return {
        type: 'tpm2',
        log: binding.log,
        quote: quote.toString('base64'),
        signature: signature.toString('base64'),
        ak_pem: akPem.toString('utf8'),
        pcrs: registersOf(pcrs),
      };
    } finally {
      await rm(folder, { recursive: true });
    }
  }
}

/** The tool writes the values of the selected registers one after the other. */
const registersOf = (values: Buffer): PcrMeasurements => {
  const hexOf = (at: number): string =>
    values.subarray(at * REGISTER_BYTES, (at + 1) * REGISTER_BYTES).toString('hex');
  return { pcr_0: hexOf(0), pcr_2: hexOf(1), pcr_7: hexOf(2) };
};
