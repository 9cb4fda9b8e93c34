import { expect } from '@jest/globals';
import request from 'supertest';
import { verifyBill } from '#areas/audit/bill/verify-bill.js';
import { parseCheckpoint, verifyCheckpoint } from '#platform/audit/checkpoint.js';
import { isConsistent, isIncluded, leafHashOf } from '#platform/audit/merkle.js';
import { parseNote, parseVerifierKey } from '#platform/audit/signed-note.js';
import { TILE_WIDTH } from '#platform/audit/tiles.js';
import { parseProof } from '#platform/audit/tlog-proof.js';
import { type World } from './quipu.harness.js';

const MONTH = new Date().toISOString().slice(0, 7);

interface AuditedEvent {
  readonly leaf: number;
  readonly position: string;
  readonly encoding: string;
  readonly proof: string;
}

interface Receipt {
  readonly verifier_key: string;
  readonly events: readonly AuditedEvent[];
}

/** The place of an event, the same wherever the log is stored, and its bytes. */
const placeOf = ({ leaf, position, encoding }: AuditedEvent) => ({ leaf, position, encoding });

/** Answers and proofs of an installation, which have to hold wherever its log is. */
export class IssuedProofs {
  readonly #texts = new Map<string, Buffer>();
  readonly #receipts = new Map<string, Receipt>();
  #bill: Buffer = Buffer.alloc(0);
  #checkpoint = '';

  /** @param witness its verifier key */
  constructor(
    private readonly world: () => World,
    private readonly witness: string,
  ) {}

  /** Of the log. */
  get key(): string {
    return [...this.#receipts.values()][0]?.verifier_key ?? '';
  }

  /** Keeps the answers and proofs of an account and of these requests of it. */
  async keep(requestIds: readonly string[]): Promise<void> {
    for (const id of requestIds) this.#receipts.set(id, await this.#receiptOf(id));
    this.#bill = await this.#bytesOf(`/api/v1/billing/statements/${MONTH}.zip`);
    this.#checkpoint = (await this.#bytesOf('/audit/checkpoint')).toString();
    const { size } = parseCheckpoint(parseNote(this.#checkpoint).text);
    const { body } = await this.#get('/api/v1/billing/overview.php').expect(200);
    const { position } = body as { readonly position: string };
    const lastTile = Math.floor(size / TILE_WIDTH);
    const routes = [
      `/api/v1/billing/overview.php?asOf=${position}`,
      `/api/v1/billing/statements/${MONTH}?asOf=${position}`,
      `/api/v1/billing/statements/${MONTH}.csv?asOf=${position}`,
      `/api/v1/cleanrooms/index.php?action=list&asOf=${position}`,
      ...requestIds.map((id) => `/api/v1/requests/${id}/explanation`),
      ...Array.from({ length: lastTile }, (_, tile) => `/audit/tile/0/00${tile}`),
      `/audit/tile/0/00${lastTile}.p/${size % TILE_WIDTH}`,
    ];
    for (const route of routes) this.#texts.set(route, await this.#bytesOf(route));
  }

  /** Answers are the same bytes, proofs verify by themselves, and fit the log as it is now. */
  async expectSame(): Promise<void> {
    for (const [route, text] of this.#texts) {
      expect({ route, text: (await this.#bytesOf(route)).toString('latin1') }).toEqual({
        route,
        text: text.toString('latin1'),
      });
    }
    for (const [id, receipt] of this.#receipts) {
      const now = await this.#receiptOf(id);
      expect(now.verifier_key).toBe(receipt.verifier_key);
      const places = receipt.events.map(placeOf);
      expect(now.events.slice(0, places.length).map(placeOf)).toEqual(places);
      this.#expectIncluded(receipt);
      this.#expectIncluded(now);
    }
    await this.#expectGrown();
    const trust = { key: this.key, witnesses: [this.witness] };
    expect(verifyBill(this.#bill, trust).events).toBeGreaterThan(3);
    const bill = await this.#bytesOf(`/api/v1/billing/statements/${MONTH}.zip`);
    expect(verifyBill(bill, trust).events).toBeGreaterThan(3);
  }

  #expectIncluded({ events }: Receipt): void {
    for (const { encoding, proof } of events) {
      const { index, hashes, checkpoint } = parseProof(proof);
      const { size, root } = this.#verified(checkpoint);
      const leafHash = leafHashOf(Buffer.from(encoding, 'base64'));
      expect(isIncluded({ index, size, root, leafHash, proof: hashes })).toBe(true);
    }
  }

  /** The tree of the first checkpoint begins the tree of the last one; the witness saw both. */
  async #expectGrown(): Promise<void> {
    const old = this.#verified(this.#checkpoint);
    const latest = this.#verified((await this.#bytesOf('/audit/checkpoint')).toString());
    const route = `/audit/consistency?from=${old.size}&to=${latest.size}`;
    const { hashes } = (await this.#get(route).expect(200)).body as {
      readonly hashes: readonly string[];
    };
    const proof = hashes.map((hash) => Buffer.from(hash, 'base64'));
    const { size, root } = latest;
    expect(isConsistent({ oldSize: old.size, oldRoot: old.root, size, root, proof })).toBe(true);
    expect(old.witnesses).toHaveLength(1);
  }

  #verified(note: string) {
    return verifyCheckpoint(note, parseVerifierKey(this.key), [parseVerifierKey(this.witness)]);
  }

  async #receiptOf(id: string): Promise<Receipt> {
    return (await this.#get(`/audit/requests/${id}`).expect(200)).body as Receipt;
  }

  #get(route: string): request.Test {
    const { quipu, credentials } = this.world();
    const asked = request(quipu.url).get(route);
    return asked.set('authorization', `Bearer ${credentials.api_key}`);
  }

  async #bytesOf(route: string): Promise<Buffer> {
    const { body } = await this.#get(route).responseType('blob').expect(200);
    return body as Buffer;
  }
}
