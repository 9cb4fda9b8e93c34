import { createPublicKey } from 'node:crypto';
import path from 'node:path';
import request from 'supertest';
import { type SealedExchange, sealMessage } from '#engines/enclave/hpke.js';
import { CommandLine, type CreatedUser } from './command-line.fixture.js';
import { startWorld, type World } from './quipu.harness.js';

export const ROOMS = '/api/v1/cleanrooms';
export const ACTIONS = `${ROOMS}/index.php`;

/** The fields of an attestation that a client needs. */
export interface Attestation {
  readonly cleanroom_uuid: string;
  readonly enclave_public_key_pem: string;
  readonly enclave_key_id: string;
  readonly verification_receipt: string;
  readonly receipt_signer_sha256: string;
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

const COLUMNS = [
  { kind: 'category', name: 'clinic', values: ['north', 'south'] },
  { kind: 'number', name: 'wait_hours', minimum: 0, maximum: 12, step: 0.25 },
];

export const MODEL = 'quipu/nano';

const catalogOf = (): string => `
rigs:
  - { name: built-in, kind: embedded }
models:
  - { id: ${MODEL}, owned_by: quipu, rigs: [built-in], file: ${path.resolve('models/nano.gguf')},
      context: 1024, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
meters:
  - { meter: cleanroom_rows, usd: 0.000001, per: 1 }
  - { meter: fhe_multiplications, usd: 0.00001, per: 1 }
  - { meter: fhe_rotations, usd: 0.0001, per: 1 }
`;

export interface OpenedRoom {
  readonly world: World;
  /** A contributor of the room. */
  readonly ada: CreatedUser;
  /** No participant. */
  readonly eve: CreatedUser;
  readonly room: string;
}

/** A Quipu with a room of the Admin that has a schema. */
export const openRoom = async (): Promise<OpenedRoom> => {
  const world = await startWorld([], { catalogOf });
  const quipu = new CommandLine(() => world);
  const ada = await quipu.createUser('ada', 'renter');
  const eve = await quipu.createUser('eve', 'renter');
  for (const user of ['ada', 'eve']) {
    await quipu.result('account', 'credit', '--user', user, '--usd', '10', '--reason', 'spec');
  }
  const { url } = world.quipu;
  const authorization = `Bearer ${world.credentials.api_key}`;
  const participants = [{ account_id: String(ada.user_id), role: 'contributor' }];
  const { body } = await request(url)
    .post(ROOMS)
    .set({ authorization })
    .send({ name: 'Wait times', total_epsilon: 4, participants })
    .expect(200);
  const { uuid: room } = (body as { readonly cleanroom: { readonly uuid: string } }).cleanroom;
  await request(url)
    .put(`${ROOMS}/${room}/schema`)
    .set({ authorization })
    .send({ columns: COLUMNS })
    .expect(200);
  return { world, ada, eve, room };
};

/** The captured holds of a purpose, as the log has them. */
export const chargesOf = async (world: World, purpose: string) =>
  (await world.events())
    .filter(({ type }) => type === 'HoldCaptured')
    .map(({ data }) => data as Readonly<Record<string, unknown>>)
    .filter((data) => data['purpose'] === purpose);
