import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Marking } from '#events/vaults/vault.events.js';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { readFilter } from './attribute-filter.js';
import { type Attributes, NO_LABEL } from './labels.js';
import { textOf } from './marking.js';
import { SearchVaultCommand } from './search-vault.handler.js';
import { VaultSearchTool } from './vault-search.tool.js';
import {
  ACCOUNT,
  AT,
  CALLER,
  openVaultsWorld,
  SETTINGS,
  VAULT,
  type VaultsWorld,
} from './vaults.fixture.js';

const SECRET = { level: 'SECRET', compartments: ['A'] };
const WORDS = ['rope', 'knot', 'boat', 'harbour', 'mast', 'sail', 'anchor', 'tide'];

let contractWorld: VaultsWorld;
beforeAll(async () => {
  contractWorld = await openVaultsWorld();
  await contractWorld.create();
  await contractWorld.ingest('a knot');
});
afterAll(() => contractWorld.close());

paidWorkContract('searches of vaults', {
  requestMsMax: SETTINGS.requestMsMax,
  open: (paid, clock, work) => {
    const { handler } = contractWorld.start(paid, clock);
    contractWorld.vectorizer.work = work;
    return Promise.resolve((order, signal) => {
      const search = { vaultId: VAULT, query: 'knot', top: 1 };
      const caller = { accountId: ACCOUNT, keys: [] };
      return handler.execute(new SearchVaultCommand({ ...order, search, caller }, signal));
    });
  },
});

describe('a search', () => {
  let world: VaultsWorld;
  beforeEach(async () => {
    world = await openVaultsWorld();
    await world.create();
  });
  afterEach(() => world.close());

  it('finds what is close, with its title, and charges tokens and visible vectors', async () => {
    await world.ingest('The rope has a knot.', { title: 'Ropes' });
    await world.ingest('The tide is high.');
    const { answer } = await world.search('a rope with a knot', { top: 1 });
    expect(answer).toMatchObject({
      ...{ index: 'exact', recall: 1, vectorsSearched: 2, clearance: 'OPEN' },
      found: [{ title: 'Ropes', text: 'The rope has a knot.', marking: 'OPEN', chunk: 0 }],
    });
    expect(world.ledger.captured).toMatchObject({
      lines: [
        { meter: 'input_tokens', quantity: 5, model: 'words' },
        { meter: 'vault_vectors', quantity: 2 },
      ],
      evidence: { vaultId: VAULT, top: 1, hits: 1, index: 'exact' },
    });
  });

  it('of an empty vault costs its tokens', async () => {
    const { answer } = await world.search('rope');
    expect(answer).toMatchObject({ found: [], vectorsSearched: 0, recall: 1 });
    expect(world.ledger.captured.lines).toHaveLength(1);
  });

  it.each([
    [{ vaultId: derivedId('other', VAULT) }, 'vault_not_found'],
    [{ vaultId: '../x' }, 'vault_not_found'],
    [{ caller: { accountId: '8', keys: [] } }, 'vault_not_found'],
  ])('that is rejected places no hold: %j', async (changes, code) => {
    await expect(world.search('rope', changes)).rejects.toMatchObject({ code });
    await expect(world.search('?!')).rejects.toMatchObject({ code: 'vault_query_empty' });
    expect(world.ledger.calls).toEqual([]);
  });

  it('that no rig can embed is free', async () => {
    world.vectorizer.failure = new Error('no rig');
    await expect(world.search('rope')).rejects.toThrow('no rig');
    expect(world.ledger.ends).toEqual(['release upstream_failed']);
  });

  it('sees in one process what another has ingested, deleted and rotated', async () => {
    const other = world.start();
    const ids: string[] = [];
    for (const word of WORDS) ids.push(await world.ingest(word));
    const texts = async () => {
      const { answer } = await world.search('rope knot boat', { top: 20, process: other });
      return answer.found.map(({ text }) => text).sort();
    };
    expect(await texts()).toEqual([...WORDS].sort());
    const [documentId = ''] = ids;
    const sight = { clearance: { level: 'OPEN', compartments: [] }, words: SETTINGS.words };
    const data = { documentId, sight, deletedAt: AT };
    const { vaults } = world.first;
    await vaults.run(VAULT, { type: 'DeleteDocument', data }, world.context());
    await world.ingest('rudder');
    const rotate = { type: 'RotateKey', data: { rotatedAt: AT } } as const;
    await vaults.run(VAULT, rotate, world.context());
    await vaults.reseal(VAULT, world.context());
    await vaults.reseal(VAULT, world.context());
    expect(await vaults.stateOf(VAULT)).toMatchObject({ keyGeneration: 2, keysDestroyed: 1 });
    expect(await texts()).toEqual([...WORDS.slice(1), 'rudder'].sort());
    // A process that begins now has only what is sealed with the new key.
    const { answer } = await world.search('rudder', { top: 20, process: world.start() });
    expect(answer.found).toHaveLength(WORDS.length);
  });

  it('looks only at documents whose attributes match, and charges no others', async () => {
    const file = (n: number, attributes: Attributes) => ({
      ...{ fileId: `file-${String(n).repeat(32)}`, attributes, chunks: null },
    });
    await world.ingest('rope', { file: file(1, { year: 2025, kind: 'a' }) });
    await world.ingest('rope knot', { file: file(2, { year: 2026, kind: 'b' }) });
    await world.ingest('rope boat');
    const found = async (filter: unknown) => {
      const { answer } = await world.search('rope', { filter: readFilter(filter, 'filters') });
      expect(answer.vectorsSearched).toBe(answer.found.length);
      return answer.found.map(({ text }) => text);
    };
    expect(await found({ type: 'eq', key: 'kind', value: 'a' })).toEqual(['rope']);
    expect(await found({ type: 'gte', key: 'year', value: 2026 })).toEqual(['rope knot']);
    expect(await found({ type: 'nin', key: 'kind', value: ['b'] })).toHaveLength(2);
    const both = { type: 'and', filters: [{ type: 'lt', key: 'year', value: 2026 }] };
    expect(await found(both)).toEqual(['rope']);
    expect(await found({ type: 'eq', key: 'year', value: '2025' })).toEqual([]);
  });

  it('finds nothing once the keys are destroyed, and no copy of the content opens', async () => {
    await world.ingest('rope');
    const { vaults } = world.first;
    const before = await vaults.find(VAULT, ACCOUNT);
    const [document] = before.documents.values();
    const data = { reason: 'requested', erasedAt: AT } as const;
    await vaults.run(VAULT, { type: 'EraseVault', data }, world.context());
    await vaults.destroyKeys(VAULT);
    await expect(world.search('rope')).rejects.toMatchObject({ code: 'vault_not_found' });
    if (!document) throw new Error('the vault had no document');
    await expect(vaults.head(VAULT, document)).rejects.toMatchObject({ code: 'blob-erased' });
    expect(await vaults.labelOf(VAULT, document)).toEqual(NO_LABEL);
  });

  it('leaves the memory when it is idle, or when others need the room', async () => {
    await world.ingest('rope');
    await world.search('rope');
    expect(world.first.memory.bytes).toBe(32 * 4);
    world.pass(60_001);
    await world.first.memory.sweep();
    expect(world.first.memory.bytes).toBe(0);
    expect((await world.search('rope')).answer.found).toHaveLength(1);
    const small = await openVaultsWorld({ memoryBytesMax: 32 * 4 });
    const second = derivedId('second', VAULT);
    try {
      await small.create();
      await small.create(second);
      await small.ingest('rope');
      await small.ingest('knot', { vaultId: second });
      await small.search('rope');
      await small.search('knot', { vaultId: second });
      expect(small.first.memory.bytes).toBe(32 * 4);
      await small.ingest('boat', { vaultId: second });
      await expect(small.search('boat', { vaultId: second })).rejects.toMatchObject({
        kind: 'full',
      });
      expect(small.ledger.ends.at(-1)).toBe('release upstream_failed');
    } finally {
      await small.close();
    }
  });

  it('as a tool has the clearance that every key has, and no hold', async () => {
    await world.clear(SECRET);
    await world.ingest('rope');
    await world.ingest('rope and knot', { marking: 'SECRET//A' });
    const tool = new VaultSearchTool(world.first.searches, world.vectorizer);
    const call = {
      ...{ id: derivedId('call', VAULT), accountId: ACCOUNT, actor: 'user:7' },
      ...{ requestId: VAULT, pricedAtMs: Date.parse(AT), signal: new AbortController().signal },
    };
    const input = { vault_uuid: VAULT, query: 'rope', top_k: 5 };
    expect((await tool.run(input, call)).output.results).toHaveLength(2);
    await world.clear({ level: 'OPEN', compartments: [] }, '0123456789abcdef');
    const { lines } = await tool.estimate(input, call);
    expect(lines.map(({ meter, quantity }) => [meter, quantity])).toEqual([
      ['input_tokens', 1],
      ['vault_vectors', 1],
    ]);
    const { output, used } = await tool.run(input, call);
    expect(output).toMatchObject({ results: [{ text: 'rope' }], index: 'exact', recall: 1 });
    expect(used).toEqual([
      { meter: 'input_tokens', quantity: 1 },
      { meter: 'vault_vectors', quantity: 1 },
    ]);
    expect(world.ledger.calls).toEqual([]);
  });
});

describe('documents above the clearance', () => {
  interface Drawn {
    readonly text: string;
    readonly marking: Marking;
  }
  const markings = fc.record({
    level: fc.constantFrom('OPEN', 'SECRET', 'TOP'),
    compartments: fc.subarray(['A', 'B']),
  });
  const documents: fc.Arbitrary<Drawn[]> = fc.array(
    fc.record({
      text: fc
        .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
        .map((w) => w.join(' ')),
      marking: markings,
    }),
    { minLength: 2, maxLength: 8 },
  );
  const TOP = { level: 'TOP', compartments: ['A', 'B'] };
  const LOW_KEY = '0123456789abcdef';
  const low = { accountId: ACCOUNT, keys: [LOW_KEY] };

  /** All that a caller can learn of a vault, but its id. */
  const learnedOf = async (world: VaultsWorld, vaultId: string, query: string, own: string) => {
    const { answer } = await world.search(query, { caller: low, vaultId, top: 10 });
    const { lines } = world.ledger.captures.at(-1) ?? {};
    const held = world.ledger.orders.at(-1)?.lines;
    const context = contextOf(own, 'user:7');
    const ingest = await world
      .ingest('a further rope', { caller: low, vaultId, own: context })
      .catch((error: unknown) => String(error));
    const above = await world
      .ingest('x', { caller: low, vaultId, marking: 'TOP//A/B', own: context })
      .catch((error: unknown) => String(error));
    return { ...answer, vaultId: '', lines, held, ingest, above };
  };

  it('change no answer, count, score, price or error of a caller below', async () => {
    const world = await openVaultsWorld({ documentsMax: 4, chunksMax: 5 });
    let cases = 0;
    try {
      await world.clear(TOP);
      const check = async (drawn: readonly Drawn[], clearance: Marking, query: string) => {
        cases += 1;
        const vaultOf = (name: string) => world.create(derivedId(`${name} ${cases}`, VAULT));
        const [whole, visible] = [await vaultOf('whole'), await vaultOf('visible')];
        await world.clear({ ...clearance, compartments: [...clearance.compartments] }, LOW_KEY);
        for (const [n, { text, marking }] of drawn.entries()) {
          const own = contextOf(derivedId(`${cases} ${n}`, VAULT), 'user:7');
          const order = { marking: textOf(marking), own, caller: CALLER };
          const isHidden =
            SETTINGS.words.levels.indexOf(marking.level) >
              SETTINGS.words.levels.indexOf(clearance.level) ||
            marking.compartments.some((one) => !clearance.compartments.includes(one));
          // The limits of the caller that sees everything are no part of the comparison.
          const ingest = (vaultId: string) =>
            world.ingest(text, { ...order, vaultId }).catch(() => undefined);
          if (!isHidden) await ingest(visible);
          if (!isHidden || n % 2 === 0) await ingest(whole);
        }
        const request = derivedId(`request ${cases}`, VAULT);
        const shown = await learnedOf(world, whole, query, request);
        // A document that the limits of the other caller kept out is missing in both or in none.
        const expected = await learnedOf(world, visible, query, request);
        return { shown, expected };
      };
      await fc.assert(
        fc.asyncProperty(
          documents.filter((drawn) => drawn.length <= 4),
          markings,
          fc.constantFrom(...WORDS),
          async (drawn, clearance, query) => {
            const { shown, expected } = await check(drawn, clearance, query);
            expect(shown).toEqual(expected);
          },
        ),
        { numRuns: 25 },
      );
    } finally {
      await world.close();
    }
  });
});
