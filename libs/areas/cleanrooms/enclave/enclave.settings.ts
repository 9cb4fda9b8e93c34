import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { defineSettings, variable } from '#platform/runtime/areas/settings.js';
import { NO_REFERENCES, References } from '../attestation/attestation.engine.js';

/** Where evidence comes from. */
export type AttesterChoice =
  | { readonly kind: 'software' }
  /** @param tcti the TPM, as tpm2-tools name it */
  | { readonly kind: 'tpm2'; readonly tcti: string }
  /** @param program prints the document of the Nitro Secure Module */
  | { readonly kind: 'aws_nitro'; readonly program: string };

export interface EnclaveSettings {
  readonly attester: AttesterChoice;
  /** The expected measurements of the hardware. */
  readonly references: References;
  /** The model of the catalog that answers sealed prompts. */
  readonly model: string;
}

export const ENCLAVE_SETTINGS = Symbol('EnclaveSettings');

const attesterOf = (text: string): AttesterChoice | null => {
  if (text === 'software') return { kind: 'software' };
  const [kind = '', ...rest] = text.split(':');
  const named = rest.join(':');
  if (kind === 'tpm2' && named !== '') return { kind: 'tpm2', tcti: named };
  if (kind === 'aws_nitro' && named !== '') return { kind: 'aws_nitro', program: named };
  return null;
};

const Attester = z
  .string()
  .default('software')
  .transform((text, context): AttesterChoice => {
    const choice = attesterOf(text);
    if (choice) return choice;
    const message = 'expected software, tpm2:<TCTI> or aws_nitro:<program>';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

const ReferencesFile = z
  .string()
  .min(1)
  .optional()
  .transform((file, context): References => {
    if (file === undefined) return NO_REFERENCES;
    try {
      return References.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch (error) {
      const message = `expected a file of measurements: ${error instanceof Error ? error.message : String(error)}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
  });

export const enclaveSettings = defineSettings({
  token: ENCLAVE_SETTINGS,
  variables: {
    QUIPU_CLEANROOM_ATTESTER: variable(
      Attester,
      'where the evidence of an attestation comes from: `software`, `tpm2:<TCTI>` by tpm2-tools, ' +
        'or `aws_nitro:<program>`, which prints the document of the enclave',
      '`software`',
    ),
    QUIPU_CLEANROOM_REFERENCES: variable(
      ReferencesFile,
      'a JSON file with the expected measurements of the hardware, without which nothing is ' +
        '`attested`',
      'none',
    ),
    QUIPU_CLEANROOM_MODEL: variable(
      z.string().min(1).max(256).default('quipu/nano'),
      'the model of the catalog, with a file, that answers sealed prompts in the enclave process',
    ),
  },
  read: (values): EnclaveSettings => ({
    attester: values.QUIPU_CLEANROOM_ATTESTER,
    references: values.QUIPU_CLEANROOM_REFERENCES,
    model: values.QUIPU_CLEANROOM_MODEL,
  }),
});
