import { hash } from 'node:crypto';
import { type EventLog } from './measurements.js';

/** The values that evidence is bound to. Another value of any field is another binding. */
export interface Binding {
  /** Of the caller, else of the server. */
  readonly nonce: string;
  readonly cleanroomUuid: string;
  /** Base64 of the enclave key, as DER of a SubjectPublicKeyInfo. */
  readonly enclaveKeySpki: string;
  /** The software that claims to run, replayable. */
  readonly log: EventLog;
}

/** 32 bytes: the qualifying data of a TPM quote, the user data of a Nitro document. */
export const bindingDigest = ({ nonce, cleanroomUuid, enclaveKeySpki, log }: Binding): Buffer => {
  const events = log.map(({ subject, name, sha256 }) => [subject, name, sha256]);
  const bound = ['quipu/attestation/1', nonce, cleanroomUuid, enclaveKeySpki, events];
  return hash('sha256', JSON.stringify(bound), 'buffer');
};
