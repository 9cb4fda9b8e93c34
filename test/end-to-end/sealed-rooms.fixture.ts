import { createPublicKey } from 'node:crypto';
import { type SealedExchange, sealMessage } from '#engines/enclave/hpke.js';

export const ROOMS = '/api/v1/cleanrooms';
export const ACTIONS = `${ROOMS}/index.php`;

/** The fields of an attestation that a client needs. */
export interface Attestation {
  readonly cleanroom_uuid: string;
  readonly enclave_public_key_pem: string;
  readonly enclave_key_id: string;
  readonly verification_receipt: string;
}

const spkiOf = ({ enclave_public_key_pem: pem }: Attestation): Buffer =>
  createPublicKey(pem).export({ format: 'der', type: 'spki' });

const infoOf = ({ cleanroom_uuid: room }: Attestation): string => `quipu/cleanroom/1\n${room}`;

/** As a contributor seals rows, by the description of the interface. */
export const sealRows = async (
  attestation: Attestation,
  accountId: string,
  schemaVersion: number,
  rows: unknown,
): Promise<string> => {
  const aad = ['quipu/deposit/1', attestation.cleanroom_uuid, accountId, schemaVersion].join('\n');
  const plaintext = Buffer.from(JSON.stringify({ rows }));
  const { bytes } = await sealMessage(spkiOf(attestation), infoOf(attestation), aad, plaintext);
  return bytes.toString('base64');
};

/** As a caller seals a prompt; the exchange opens the reply. */
export const sealPrompt = (
  attestation: Attestation,
  accountId: string,
  model: string,
  prompt: unknown,
): Promise<SealedExchange> => {
  const aad = ['quipu/prompt/1', attestation.cleanroom_uuid, accountId, model].join('\n');
  const plaintext = Buffer.from(JSON.stringify(prompt));
  return sealMessage(spkiOf(attestation), infoOf(attestation), aad, plaintext);
};

export const COLUMNS = [
  { kind: 'category', name: 'clinic', values: ['north', 'south'] },
  { kind: 'number', name: 'wait_hours', minimum: 0, maximum: 12, step: 0.25 },
];
