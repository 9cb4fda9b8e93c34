import { z } from 'zod';
import {
  ED25519_COSIGNATURE,
  isKeyName,
  NoteError,
  parseVerifierKey,
  type VerifierKey,
} from '#platform/audit/signed-note.js';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';
import { withoutTrailing } from '#platform/kernel/trailing.js';

/** A server that cosigns checkpoints, by C2SP tlog-witness. */
export interface Witness {
  /** The submission prefix, without a slash at the end. */
  readonly url: string;
  readonly key: VerifierKey;
}

export interface AuditSettings {
  /** The name of the log in its checkpoints; null for one that is made of its key. */
  readonly origin: string | null;
  readonly checkpointEveryMs: number;
  readonly witnesses: readonly Witness[];
}

export const AUDIT_SETTINGS = Symbol('AuditSettings');

const ORIGIN_LENGTH_MAX = 200;
const WITNESSES_MAX = 16;

const witnessOf = (text: string): Witness => {
  const [keyText = '', url = '', ...rest] = text.trim().split(/\s+/);
  const key = parseVerifierKey(keyText);
  if (key.type !== ED25519_COSIGNATURE) {
    throw new NoteError(`the key of ${key.name} is not one that cosigns (type 4)`);
  }
  if (rest.length > 0 || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new NoteError(`${key.name} needs the URL of its submission prefix`);
  }
  return { url: withoutTrailing(url, '/'), key };
};

const Witnesses = z
  .string()
  .transform((value, context): readonly Witness[] => {
    try {
      const witnesses = value.split(',').map(witnessOf);
      if (witnesses.length > WITNESSES_MAX) throw new NoteError(`more than ${WITNESSES_MAX}`);
      return witnesses;
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      const expected = `expected "<verifier key> <URL>", …: ${error.message}`;
      context.addIssue({ code: 'custom', message: expected });
      return z.NEVER;
    }
  })
  .optional();

export const auditSettings = defineSettings({
  token: AUDIT_SETTINGS,
  variables: {
    QUIPU_AUDIT_ORIGIN: variable(
      z
        .string()
        .max(ORIGIN_LENGTH_MAX)
        .refine(isKeyName, 'expected a name without spaces and plus signs')
        .optional(),
      'the name of the log in its checkpoints, such as `quipu.example.com/audit`; a change of it ' +
        'makes another log of it for its verifiers',
      '`quipu.local/` and 16 digits of its key',
    ),
    QUIPU_AUDIT_CHECKPOINT_MS: variable(
      wholeNumber(50, 86_400_000).default(1_000),
      'how often a checkpoint of the log is signed and published, if the log has grown',
    ),
    QUIPU_AUDIT_WITNESSES: variable(
      Witnesses,
      'servers that cosign each checkpoint (C2SP tlog-witness): `<verifier key> <URL>`, with ' +
        'commas between them',
    ),
  },
  read: (values): AuditSettings => ({
    origin: values.QUIPU_AUDIT_ORIGIN ?? null,
    checkpointEveryMs: values.QUIPU_AUDIT_CHECKPOINT_MS,
    witnesses: values.QUIPU_AUDIT_WITNESSES ?? [],
  }),
});
