import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RIG_KINDS } from '#events/rig-kinds.js';
import { CatalogError } from './catalog.error.js';
import { parseCatalog } from './catalog.parser.js';

const FILE = '/etc/quipu/catalog.yaml';

const COMPLETE = `
rigs:
  - name: local-vllm
    kind: openai
    base_url: http://127.0.0.1:8000/v1/
    api_key_env: VLLM_KEY
    max_concurrency: 64
    region: uk
  - { name: built-in, kind: embedded }
models:
  - { id: acme/llama-70b, upstream_id: llama-70b, owned_by: acme, rigs: [local-vllm], context: 8192,
      price: { input_usd_per_mtok: 0.15, output_usd_per_mtok: 0.60 } }
  - id: quipu/nano
    owned_by: quipu
    rigs: [built-in]
    file: models/nano.gguf
    context: 1024
    created: 1767225600
    price: { input_usd_per_mtok: '0.000001', output_usd_per_mtok: 1000000 }
`;

const problemsOf = (source: string): readonly string[] => {
  try {
    parseCatalog(source, FILE);
    return [];
  } catch (error) {
    if (error instanceof CatalogError) return error.message.split('\n');
    throw error;
  }
};

/** A catalog of one rig and one model, with fields of the model replaced. */
const withModel = (fields: string): string => `rigs:
  - { name: up, kind: openai, base_url: http://h/v1 }
  - { name: nano, kind: embedded }
models:
  - ${fields}
`;
const PRICE = 'price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 }';

const withRig = (fields: string): string => `rigs:
  - { ${fields} }
models: []
`;

const withDiscount = (percent: string): string =>
  `{ rigs: [], models: [], batch_discount_percent: ${percent} }`;

describe('catalog parser', () => {
  it('reads the documented form and fills in the defaults', () => {
    expect(parseCatalog(COMPLETE, FILE)).toEqual({
      rigs: [
        {
          name: 'local-vllm',
          ...{ provider: null, collectsData: true, breaker: {}, retries: {} },
          kind: 'openai',
          baseUrl: 'http://127.0.0.1:8000/v1',
          server: null,
          hasResponses: false,
          features: null,
          allowsPrivateUrls: false,
          allowedFields: [],
          keys: [{ env: 'VLLM_KEY' }],
          ...{ headers: {}, models: [] },
          maxConcurrency: 64,
          connectTimeoutMs: 5_000,
          answerTimeoutMs: 300_000,
          idleTimeoutMs: 60_000,
          microUsdPerHour: null,
          region: 'uk',
        },
        {
          name: 'built-in',
          ...{ provider: null, collectsData: false, breaker: {}, retries: {} },
          ...{ kind: 'embedded', maxConcurrency: 4 },
          ...{ microUsdPerHour: null, region: null },
        },
      ],
      models: [
        {
          id: 'acme/llama-70b',
          upstreamId: 'llama-70b',
          ...{ sendsDefaults: true, quantization: 'unknown', fallbacks: [] },
          kind: 'chat',
          dimensions: null,
          ownedBy: 'acme',
          rigs: ['local-vllm'],
          contextTokens: 8192,
          maxOutputTokens: 4096,
          price: { inputMicroUsdPerMtok: '150000', outputMicroUsdPerMtok: '600000' },
          file: null,
          draft: null,
          chargesCancelled: true,
          createdEpochSeconds: null,
        },
        {
          id: 'quipu/nano',
          upstreamId: 'quipu/nano',
          ...{ sendsDefaults: true, quantization: 'unknown', fallbacks: [] },
          kind: 'chat',
          dimensions: null,
          ownedBy: 'quipu',
          rigs: ['built-in'],
          contextTokens: 1024,
          maxOutputTokens: 1024,
          price: { inputMicroUsdPerMtok: '1', outputMicroUsdPerMtok: '1000000000000' },
          file: '/etc/quipu/models/nano.gguf',
          draft: null,
          chargesCancelled: true,
          createdEpochSeconds: 1_767_225_600,
        },
      ],
      localModels: {
        ownedBy: 'local',
        contextTokens: 2_048,
        maxOutputTokens: 512,
        chargesCancelled: true,
        price: { inputMicroUsdPerMtok: '0', outputMicroUsdPerMtok: '0' },
      },
      meters: [],
      batchDiscountPercent: 50,
    });
  });

  it('reads the catalog that ships', async () => {
    const file = join(import.meta.dirname, '../../../catalog.yaml');
    const { rigs, models } = parseCatalog(await readFile(file, 'utf8'), file);
    expect(rigs).toMatchObject([{ name: 'built-in', kind: 'embedded' }]);
    expect(models).toMatchObject([
      { id: 'quipu/nano', rigs: ['built-in'], kind: 'chat' },
      { id: 'quipu/mini', rigs: ['built-in'], kind: 'chat', draft: 'quipu/mini-draft' },
      { id: 'quipu/mini-draft', rigs: ['built-in'], kind: 'chat', draft: null },
      { id: 'quipu-embed-768', rigs: ['built-in'], kind: 'embedding', dimensions: 768 },
      { id: 'quipu-embed-1024', rigs: ['built-in'], kind: 'embedding', dimensions: 1024 },
    ]);
    const inModels = (name: string) => join(import.meta.dirname, '../../../models', name);
    expect(models.slice(0, 3).map(({ file }) => file)).toEqual([
      inModels('nano.gguf'),
      inModels('mini.gguf'),
      inModels('mini-draft.gguf'),
    ]);
  });

  it('reads the prices of meters', () => {
    const parse = (meters: string) =>
      parseCatalog(`{ rigs: [], models: [], meters: [${meters}] }`, FILE).meters;
    expect(parse('{ meter: knots, usd: 0.1, per: 1000 }')).toEqual([
      { meter: 'knots', price: 100_000n, perUnits: 1_000 },
    ]);
    for (const [written, where] of [
      ['{ meter: Knots, usd: 1, per: 1 }', 'meters[0].meter'],
      ['{ meter: knots, usd: 0.0000001, per: 1 }', 'meters[0].usd'],
      ['{ meter: knots, usd: 1, per: 0 }', 'meters[0].per'],
      ['{ meter: knots, usd: 1 }', 'meters[0].per is missing'],
      [
        '{ meter: knots, usd: 1, per: 1 }, { meter: knots, usd: 2, per: 1 }',
        'meters[1].meter is in meters[0] already',
      ],
    ] as const) {
      expect(() => parse(written)).toThrow(where);
    }
  });

  it('reads the kind and features of a server, and the fields that it leaves to callers', () => {
    const source = `rigs:
  - { name: up, kind: openai, base_url: 'http://up/v1', server: llama.cpp, allow_fields: [lora],
      features: [tools], allow_private_urls: true }
models: []`;
    expect(parseCatalog(source, FILE).rigs).toMatchObject([
      {
        server: 'llama.cpp',
        allowedFields: ['lora'],
        features: ['tools'],
        allowsPrivateUrls: true,
      },
    ]);
    expect(problemsOf(source.replace('[tools]', '[adapters]'))[0]).toContain('rigs[0].features[0]');
    const [problem] = problemsOf(source.replace('llama.cpp', 'llamafile'));
    expect(problem).toContain('rigs[0].server');
  });

  it('reads which model drafts for another, if both have files', () => {
    const price = 'price: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 }';
    const model = (id: string, rest: string) =>
      `  - { id: ${id}, owned_by: o, context: 10, ${price}, ${rest} }`;
    const withModels = (...models: readonly string[]) => `rigs:
  - { name: here, kind: embedded }
  - { name: up, kind: openai, base_url: 'http://up/v1' }
models:
${models.join('\n')}`;
    const target = model('big', 'rigs: [here], file: big.gguf, draft: small');
    const small = model('small', 'rigs: [here], file: small.gguf');
    const { models } = parseCatalog(withModels(target, small), FILE);
    expect(models.map(({ draft }) => draft)).toEqual(['small', null]);
    for (const [written, message] of [
      [[target], 'models[0].draft names no model of this file: small'],
      [[target, model('small', 'rigs: [up]')], 'models[0].draft names a model without a file'],
      [
        [model('big', 'rigs: [up], draft: small'), small],
        'models[0].draft is for a model with a file',
      ],
    ] as const) {
      expect(() => parseCatalog(withModels(...written), FILE)).toThrow(message);
    }
  });

  it('reads the discount of batches', () => {
    const parse = (written: string) => parseCatalog(withDiscount(written), FILE);
    expect(parse('0').batchDiscountPercent).toBe(0);
    expect(parse('100').batchDiscountPercent).toBe(100);
    for (const written of ['-1', '101', '12.5', 'half']) {
      expect(() => parse(written)).toThrow('batch_discount_percent');
    }
  });

  it('reads prices through an anchor', () => {
    const source = withModel(
      `{ id: a, owned_by: o, rigs: [up], context: &c 10,
      price: &p { input_usd_per_mtok: &i 0.1, output_usd_per_mtok: *i } }
  - { id: b, owned_by: o, rigs: [up], context: 10, price: *p }
  - { id: c, owned_by: o, rigs: [up], context: *c,
      price: { input_usd_per_mtok: *c, output_usd_per_mtok: *i } }`,
    );
    const tenth = { inputMicroUsdPerMtok: '100000', outputMicroUsdPerMtok: '100000' };
    const ten = { inputMicroUsdPerMtok: '10000000', outputMicroUsdPerMtok: '100000' };
    const { models } = parseCatalog(source, FILE);
    expect(models.map(({ price }) => price)).toEqual([tenth, tenth, ten]);
  });

  it('reads every price exactly, however it is written', () => {
    const price = fc.bigInt({ min: 0n, max: 1_000_000_000_000n });
    const written = (microUsd: bigint, zeros: number, quoted: boolean): string => {
      const digits = microUsd.toString().padStart(7, '0');
      const fraction = digits.slice(-6).replace(/0+$/, '') + '0'.repeat(zeros);
      const decimal = digits.slice(0, -6) + (fraction === '' ? '' : `.${fraction}`);
      return quoted ? `"${decimal}"` : decimal;
    };
    fc.assert(
      fc.property(price, price, fc.nat(3), fc.boolean(), (input, output, zeros, quoted) => {
        const source = withModel(`{ id: a, owned_by: o, rigs: [up], context: 1, price: {
      input_usd_per_mtok: ${written(input, zeros, quoted)},
      output_usd_per_mtok: ${written(output, zeros, !quoted)} } }`);
        expect(parseCatalog(source, FILE).models[0]?.price).toEqual({
          inputMicroUsdPerMtok: String(input),
          outputMicroUsdPerMtok: String(output),
        });
      }),
    );
  });
});

describe('catalog parser, rejecting', () => {
  const model = (price: string): string =>
    withModel(`{ id: a, owned_by: o, rigs: [up], context: 10, ${price} }`);
  const input = (amount: string): string =>
    model(`price: { input_usd_per_mtok: ${amount}, output_usd_per_mtok: 2 }`);
  const INPUT = `${FILE}:5:81: models[0].price.input_usd_per_mtok`;
  const DECIMAL = 'must be a plain decimal in USD with at most 6 decimals, such as 0.15';

  it.each([
    ['a negative price', input('-0.1'), `${INPUT} must not be negative`],
    ['a price finer than a micro-dollar', input('0.0000001'), `${INPUT} ${DECIMAL}`],
    ['an exponent', input('1e-3'), `${INPUT} ${DECIMAL}`],
    ['a price that is not a number', input('.nan'), `${INPUT} ${DECIMAL}`],
    ['a price that is text', input('cheap'), `${INPUT} ${DECIMAL}`],
    ['a price that is nothing', input('null'), `${INPUT} must be an amount in USD, such as 0.15`],
    ['a slip of the unit', input('1000000.000001'), `${INPUT} must not be above 1000000 USD`],
    [
      'a missing price',
      model('price: { output_usd_per_mtok: 2 }'),
      `${FILE}:5:59: models[0].price.input_usd_per_mtok is missing`,
    ],
    [
      'an unknown field',
      model(`${PRICE}, colour: red`),
      `${FILE}:5:110: models[0].colour is not a field of a catalog`,
    ],
    [
      'an unknown field at the top',
      'rigs: []\nmodels: []\nmodel: []\n',
      `${FILE}:3:1: model is not a field of a catalog`,
    ],
    [
      'an id used twice',
      withModel(`{ id: a, owned_by: o, rigs: [up], context: 10, ${PRICE} }
  - { id: a, owned_by: o, rigs: [up], context: 10, ${PRICE} }`),
      `${FILE}:6:11: models[1].id is the id of models[0] already`,
    ],
    [
      'a rig used twice',
      'rigs:\n  - { name: a, kind: embedded }\n  - { name: a, kind: embedded }\nmodels: []',
      `${FILE}:3:13: rigs[1].name is the name of rigs[0] already`,
    ],
    [
      'a rig that is not there',
      withModel(`{ id: a, owned_by: o, rigs: [up, down], context: 10, ${PRICE} }`),
      `${FILE}:5:38: models[0].rigs[1] names no rig of this file: down`,
    ],
    [
      'a rig listed twice',
      withModel(`{ id: a, owned_by: o, rigs: [up, up], context: 10, ${PRICE} }`),
      `${FILE}:5:38: models[0].rigs[1] is listed twice`,
    ],
    [
      'an embedded model without a file',
      withModel(`{ id: a, owned_by: o, rigs: [nano], context: 10, ${PRICE} }`),
      `${FILE}:5:5: models[0].file is missing: an embedded rig serves this model`,
    ],
    [
      'a file that no rig reads',
      withModel(`{ id: a, owned_by: o, rigs: [up], context: 10, file: a.gguf, ${PRICE} }`),
      `${FILE}:5:58: models[0].file is read by embedded rigs only`,
    ],
    [
      'an answer longer than the context',
      withModel(`{ id: a, owned_by: o, rigs: [up], context: 10, max_output: 11, ${PRICE} }`),
      `${FILE}:5:64: models[0].max_output must not be above context`,
    ],
    [
      'a missing id',
      withModel(`{ owned_by: o, rigs: [up], context: 10, ${PRICE} }`),
      `${FILE}:5:5: models[0].id is missing`,
    ],
    [
      'another kind of rig',
      withRig('name: a, kind: gpu'),
      `${FILE}:2:22: rigs[0].kind must be ${RIG_KINDS.join(' or ')}`,
    ],
    [
      'a region that is no name',
      withRig('name: a, kind: embedded, region: EU West'),
      `${FILE}:2:40: rigs[0].region must be a letter, then up to 31 of a-z 0-9 -`,
    ],
    [
      'a secret in a URL',
      withRig('name: a, kind: openai, base_url: http://u:p@h/v1'),
      `${FILE}:2:40: rigs[0].base_url must not hold a secret: use api_key_env`,
    ],
    [
      'a URL without a host',
      withRig('name: a, kind: openai, base_url: localhost'),
      `${FILE}:2:40: rigs[0].base_url must be a URL, such as http://127.0.0.1:8000/v1`,
    ],
    [
      'another scheme',
      withRig('name: a, kind: openai, base_url: ftp://h/v1'),
      `${FILE}:2:40: rigs[0].base_url must start with http:// or https://`,
    ],
    [
      'a URL with a query',
      withRig('name: a, kind: openai, base_url: "http://h/v1?a=b"'),
      `${FILE}:2:40: rigs[0].base_url must end with its path`,
    ],
    [
      'a key in place of the name of its variable',
      withRig('name: a, kind: openai, base_url: http://h/v1, api_key_env: sk-123'),
      `${FILE}:2:66: rigs[0].api_key_env must be the name of an environment variable`,
    ],
    [
      'the name that local models need',
      withRig('name: local-models, kind: openai, base_url: http://h/v1'),
      `${FILE}:2:13: rigs[0].name is kept for the embedded rig of local models`,
    ],
    ['an empty file', '# nothing\n', `${FILE}:1:1: is empty`],
  ])('%s', (_, source, problem) => {
    expect(problemsOf(source)).toEqual([problem]);
  });
  it('text that is not YAML, a field given twice and a second document, with the place', () => {
    expect(problemsOf('rigs: [\n')[0]).toMatch(/^\/etc\/quipu\/catalog\.yaml:2:1: /);
    expect(problemsOf('rigs: []\nrigs: []\nmodels: []\n')[0]).toMatch(/:2:1: Map keys must be/);
    expect(problemsOf('rigs: []\n---\nrigs: []\n')[0]).toMatch(/:2:1: /);
  });

  it('a file whose aliases expand without end', () => {
    const rows = Array.from({ length: 9 }, (_, index) => {
      const ten = Array.from({ length: 10 }, () => `*a${index}`);
      return `a${index + 1}: &a${index + 1} [${ten.join(', ')}]`;
    });
    expect(problemsOf(`a0: &a0 [1]\n${rows.join('\n')}\n`)[0]).toMatch(/alias/);
  });

  it('reports every problem at once', () => {
    const source = withModel(`{ id: a, owned_by: '', rigs: [], context: 0, ${PRICE} }`);
    expect(problemsOf(source).map((line) => line.split(' ')[1])).toEqual([
      'models[0].owned_by',
      'models[0].rigs',
      'models[0].context',
    ]);
  });
});
