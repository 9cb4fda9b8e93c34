import path from 'node:path';
import request from 'supertest';
import { type RentalDto } from '#apps/gateway/rentals/rentals.dto.js';
import { json } from '#areas/inference/rigs/upstream.fake.js';
import { eventually, startWorld, type World } from './quipu.harness.js';

export const RENTALS = '/api/v1/rentals';
/** A micro-dollar a second. */
export const HOURLY_USD = 0.0036;

const catalogOf = (baseUrl: string): string => `
rigs:
  - { name: rack, kind: openai, base_url: ${baseUrl}, hourly_usd: ${HOURLY_USD} }
  - { name: kept, kind: openai, base_url: ${baseUrl} }
models:
  - { id: acme/one, upstream_id: one, owned_by: acme, rigs: [rack, kept], context: 1024,
      max_output: 64, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
`;

/** Asks until there is an answer. */
export const found = async <Answer>(
  ask: () => Promise<Answer | undefined> | Answer | undefined,
): Promise<Answer> => {
  const answers: Answer[] = [];
  await eventually(async () => {
    const answer = await ask();
    if (answer !== undefined) answers.push(answer);
    return answers.length > 0;
  });
  const [answer] = answers;
  if (answer === undefined) throw new Error('there is no answer');
  return answer;
};

const rentalIn = (body: unknown): RentalDto => (body as { readonly rental: RentalDto }).rental;

/** A running Quipu whose rentals are processes, with ports for three of them. */
export class RentalsWorld {
  #world: World | undefined;

  get world(): World {
    if (!this.#world) throw new Error('begin() comes first');
    return this.#world;
  }

  async begin(): Promise<void> {
    const environment = {
      QUIPU_RENTAL_ENGINE: 'process',
      QUIPU_RENTAL_PORTS: '41000-41299',
      QUIPU_RENTAL_GRACE_SECONDS: '1',
      QUIPU_RENTAL_FILE_MIB_MAX: '24',
    };
    this.#world = await startWorld([json(500, {})], { catalogOf, environment });
  }

  async end(): Promise<void> {
    await this.#world?.close();
  }

  http() {
    return request(this.world.quipu.url);
  }

  readonly bearer = () => ({ authorization: `Bearer ${this.world.credentials.renter_key}` });

  workspaceOf({ job_uuid: id }: RentalDto): string {
    return path.join(this.world.home, 'rentals/by-id', id, 'workspace');
  }

  async shown(number: number): Promise<RentalDto> {
    const { body } = await this.http().get(`${RENTALS}/${number}`).set(this.bearer()).expect(200);
    return rentalIn(body);
  }

  inState(number: number, state: string): Promise<RentalDto> {
    return found(async () => {
      const rental = await this.shown(number);
      return rental.status === state ? rental : undefined;
    });
  }

  order(order: object) {
    return this.http().post(RENTALS).set(this.bearer()).send(order);
  }

  /** As soon as there are ports: the ports of an ended rental are free a moment later. */
  accepted(order: object): Promise<RentalDto> {
    return found(async () => {
      const { status, body } = await this.order(order);
      if (status === 202) return rentalIn(body);
      if (status === 503) return undefined;
      throw new Error(JSON.stringify(body));
    });
  }

  start(...command: readonly string[]): Promise<RentalDto> {
    return this.accepted({ rig: 'rack', command, environment: { GREETING: 'hello' } });
  }

  async startRunning(): Promise<RentalDto> {
    const { job_id: number } = await this.start('sleep', '600');
    return this.inState(number, 'running');
  }

  async stop(number: number): Promise<RentalDto> {
    await this.http().post(`${RENTALS}/${number}/stop`).set(this.bearer()).expect(200);
    return this.inState(number, 'cancelled');
  }

  async logOf(number: number): Promise<string> {
    const { text } = await this.http()
      .get(`${RENTALS}/${number}/logs`)
      .set(this.bearer())
      .expect(200);
    return text;
  }
}
