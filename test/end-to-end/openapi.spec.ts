import { execFile } from 'node:child_process';
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Controller, Get, type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiOkResponse, ApiOperation, ApiTags, type OpenAPIObject } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import spectralCore, {
  type RuleDefinition,
  type RulesetDefinition,
} from '@stoplight/spectral-core';
import spectralFunctions from '@stoplight/spectral-functions';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { parse } from 'yaml';
import { parseCatalog } from '#areas/catalog/catalog.parser.js';
import { ESPEAK_MODEL } from '#areas/audio/speak.handler.js';
import { areas } from '#apps/composition/areas.js';
import { Scope } from '#apps/gateway/identity/scope.decorator.js';
import { FailsWith } from '#apps/gateway/openapi/failures.docs.js';
import { openApiDocument } from '#apps/gateway/openapi/openapi.document.js';
import { Areas, defineArea } from '#platform/runtime/areas/area.js';
import { startWorld, type World } from './quipu.harness.js';

const { Spectral } = spectralCore;
const { oas } = spectralRulesets;

interface OwnRule {
  readonly then: { readonly function: 'enumeration' | 'schema' | 'truthy' };
}

/** The rules of `.spectral.yaml`, which extend the recommended ones for OpenAPI. */
const ruleset = async (): Promise<RulesetDefinition> => {
  const { rules } = parse(await readFile('.spectral.yaml', 'utf8')) as {
    readonly rules: Readonly<Record<string, OwnRule>>;
  };
  const own = Object.entries(rules).map(([name, rule]) => [
    name,
    { ...rule, then: { ...rule.then, function: spectralFunctions[rule.then.function] } },
  ]);
  return {
    extends: [[oas as RulesetDefinition, 'recommended']],
    rules: Object.fromEntries(own) as Record<string, RuleDefinition>,
  };
};

/** The findings of Spectral, errors and warnings, one line each. */
const findingsOf = async (document: object): Promise<readonly string[]> => {
  const spectral = new Spectral();
  spectral.setRuleset(await ruleset());
  const findings = await spectral.run(structuredClone(document) as Record<string, unknown>);
  return findings.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`);
};

interface Finding {
  readonly severity: string;
  readonly message: string;
  readonly location: readonly { readonly pointer: string }[];
}

/** The errors of Redocly's recommended rules, one line each. */
const redoclyErrorsOf = async (document: object): Promise<readonly string[]> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-openapi-'));
  const file = path.join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const cli = path.resolve('node_modules/@redocly/cli/bin/cli.js');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const report = await new Promise<string>((resolve) => {
    execFile(process.execPath, [cli, 'lint', file, '--format', 'json'], { env }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  await rm(folder, { recursive: true });
  const { problems } = JSON.parse(report) as { readonly problems: readonly Finding[] };
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ message, location }) => `${location[0]?.pointer}: ${message}`);
};

/** Every description in a value, with its place. */
const descriptionsIn = (value: unknown, at = ''): readonly (readonly [string, string])[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    key === 'description' && typeof inner === 'string'
      ? [[at, inner] as const]
      : descriptionsIn(inner, `${at}/${key}`),
  );
};

const MODEL_NAME = /^(?!energy_)(\w+_)?models?$/;

/** The models that examples name, by their fields: in an example, or as the example of a field. */
const modelsIn = (value: unknown, field = ''): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap((one) => modelsIn(one, field));
  if (typeof value === 'string') return MODEL_NAME.test(field) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    modelsIn(inner, key === 'example' ? field : key),
  );
};

/** Without the other strings of a schema, such as its type. */
const examplesIn = (value: unknown, field = ''): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    key === 'example' ? modelsIn(inner, field) : examplesIn(inner, key),
  );
};

interface Response {
  readonly content?: {
    readonly 'application/json'?: { readonly examples?: Readonly<Record<string, object>> };
  };
}

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters: readonly { readonly name: string; readonly description?: string }[];
  readonly responses: Readonly<Record<string, Response>>;
}

interface OpenApiDocument extends Pick<
  OpenAPIObject,
  'openapi' | 'info' | 'tags' | 'webhooks' | 'components'
> {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

describe('the OpenAPI document', () => {
  let world: World;
  let document: OpenApiDocument;
  let operations: readonly Operation[];

  beforeAll(async () => {
    world = await startWorld([]);
    const response = await fetch(`${world.quipu.url}/openapi.json`);
    document = (await response.json()) as OpenApiDocument;
    operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  });

  afterAll(() => world.close());

  it('is version 3.1, and Spectral finds nothing', async () => {
    expect(document.openapi).toBe('3.1.0');
    expect(await findingsOf(document)).toEqual([]);
  });

  it('has no errors by the rules of Redocly', async () => {
    expect(await redoclyErrorsOf(document)).toEqual([]);
    const bare = { ...document, paths: { '/bare': { get: { responses: {} } } } };
    expect(await redoclyErrorsOf(bare)).not.toEqual([]);
  });

  it('has no empty description, and none that repeats itself', () => {
    const found = descriptionsIn(document);
    expect(found.length).toBeGreaterThan(500);
    const wrong = found.filter(([, description]) => {
      const sentences = description.split(/(?<=\.)\s+/);
      return description.trim() === '' || new Set(sentences).size < sentences.length;
    });
    expect(wrong).toEqual([]);
  });

  it('has security exactly where a request without credentials is rejected', async () => {
    const asked = Object.entries(document.paths).flatMap(([route, item]) =>
      Object.entries(item)
        .filter(([, { tags }]) => !tags.includes('operations'))
        .map(async ([method, { security }]) => {
          const url = `${world.quipu.url}${route.replaceAll(/\{\w+\}/g, '1')}`;
          const response = await fetch(url, { method });
          const isRejected = (await response.text()).includes('"missing_credentials"');
          return [method, route, isRejected, security.length > 0] as const;
        }),
    );
    const answers = await Promise.all(asked);
    expect(answers.filter(([, , isRejected, isSecured]) => isRejected !== isSecured)).toEqual([]);
    expect(answers.some(([, , , isSecured]) => !isSecured)).toBe(true);
  });

  it('names models that ship, and espeak-ng, in its examples', async () => {
    const { models } = parseCatalog(await readFile('catalog.yaml', 'utf8'), 'catalog.yaml');
    const served = new Set(models.map(({ id }) => id));
    for await (const file of glob('models/spiking/*/card.json')) {
      const { slug, displayName } = JSON.parse(await readFile(file, 'utf8')) as {
        readonly slug: string;
        readonly displayName: string;
      };
      served.add(slug).add(displayName);
    }
    for await (const file of glob('models/{images,speech}/*/card.json')) {
      const { name } = JSON.parse(await readFile(file, 'utf8')) as { readonly name: string };
      served.add(name);
    }
    served.add(ESPEAK_MODEL);
    const named = examplesIn(document);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((model) => !served.has(model))).toEqual([]);
  });

  it('describes the message of each notification', () => {
    const types = new Areas(areas).notifications().map(({ type }) => type);
    expect(Object.keys(document.webhooks ?? {})).toEqual([...types, 'domain_event']);
    expect(document.webhooks?.['invoice.expired']).toMatchObject({
      post: {
        parameters: [
          { name: 'webhook-id' },
          { name: 'webhook-timestamp' },
          { name: 'webhook-signature' },
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                required: ['type', 'timestamp', 'account_id', 'data'],
                properties: { data: { required: ['invoice_id', 'status', 'confirmed_units'] } },
              },
            },
          },
        },
      },
    });
  });

  it('has no keyword of OpenAPI 3.0', () => {
    expect(JSON.stringify(document)).not.toContain('"nullable"');
  });

  it('describes each tag, operation and parameter', () => {
    for (const tag of document.tags ?? []) expect(tag.description).toMatch(/\.$/);
    for (const { description, tags } of operations) {
      expect(description).toMatch(/\.$/);
      expect(tags).toHaveLength(1);
    }
    const parameters = operations.flatMap((operation) => operation.parameters);
    expect(parameters.filter(({ description }) => !description)).toEqual([]);
  });

  it('names the operations of a route with two paths apart', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(['chat_complete', 'chat_complete_api']));
  });

  it('lists every domain error of every area, except errors that leave as a defect', () => {
    const errors = Object.entries(new Areas(areas).errors());
    for (const [code, { status }] of errors) {
      const isListed = document.info.description?.includes(`| ${status} | \`${code}\` |`);
      expect([code, isListed]).toEqual([code, status !== 500]);
    }
  });

  const codesOf = (operationId: string, status: number): readonly string[] => {
    const found = operations.find((operation) => operation.operationId === operationId);
    const content = found?.responses[String(status)]?.content;
    return Object.keys(content?.['application/json']?.examples ?? {});
  };

  it.each([
    ['apiKeys_issue', 400, 'invalid_request', 'invalid_username'],
    ['chat_complete', 400, 'unsupported_parameter', 'payout_not_positive'],
    ['chat_complete_api', 404, 'model_not_found', 'job_not_found'],
    ['budgets_removeOfKey', 404, 'budget_not_found', 'statement_not_found'],
    ['workflows_create', 409, 'workflow_name_taken', 'workflow_run_ended'],
    ['wasm_execute', 402, 'insufficient_balance', 'wasm_busy'],
    ['messages_create', 400, 'invalid_idempotency_key', 'file_missing'],
  ])('documents the codes of the route: %s %i', (operationId, status, own, foreign) => {
    expect(codesOf(operationId, status)).toContain(own);
    expect(codesOf(operationId, status)).not.toContain(foreign);
  });

  it('gives each code an example in the envelope of the route', () => {
    const examples = (document.components?.examples ?? {}) as Record<string, { value: object }>;
    expect(examples['openai_model_not_found']?.value).toMatchObject({
      error: { code: 'model_not_found', param: 'model', type: 'not_found_error' },
    });
    expect(examples['application_budget_not_found']?.value).toMatchObject({
      success: false,
      code: 'budget_not_found',
    });
    expect(examples['anthropic_model_not_found']?.value).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error', code: 'model_not_found' },
    });
    const failures = operations.flatMap(({ operationId, tags, responses }) =>
      Object.keys(responses)
        .filter((status) => Number(status) >= 400 && !tags.includes('operations'))
        .map((status) => [operationId, Number(status)] as const),
    );
    const bare = failures.filter(([id, status]) => codesOf(id, status).length === 0);
    // The errors of the protocol of MCP, which has an envelope of its own.
    expect(bare).toEqual([
      ['mcp_send', 404],
      ['mcp_send', 406],
    ]);
    expect(JSON.stringify(document)).not.toMatch(/"x-(fails-with|error-shape)/);
  });
});

describe('the check of the OpenAPI document', () => {
  let app: INestApplication;

  @ApiTags('planted')
  @Controller('planted')
  class PlantedController {
    @Get('described')
    @Scope('open')
    @ApiOperation({ summary: 'Described', description: 'This route is described.' })
    @ApiOkResponse({ description: 'Described.', schema: { type: 'string', example: 'A knot.' } })
    described(): string {
      return '';
    }

    @Get('plain')
    @Scope('open')
    @ApiOperation({ summary: 'Plain', description: 'This route has no example.' })
    @ApiOkResponse({ description: 'Plain.', schema: { type: 'string' } })
    plain(): string {
      return '';
    }

    @Get('bare')
    @ApiOperation({ summary: 'Bare' })
    @ApiOkResponse({ description: 'Bare.', schema: { type: 'string', example: 1 } })
    bare(): string {
      return '';
    }
  }

  @Controller('undeclared')
  class UndeclaredController {
    @Get()
    @FailsWith('postcard_lost')
    @ApiOkResponse({ description: 'Undeclared.', schema: { type: 'string' } })
    undeclared(): string {
      return '';
    }
  }

  @Module({ controllers: [PlantedController] })
  class PlantedModule {}

  beforeAll(async () => {
    app = await NestFactory.create(PlantedModule, new FastifyAdapter(), { logger: false });
    await app.init();
  });

  afterAll(() => app.close());

  it('reports a route without a description, scope or example, and a wrong example', async () => {
    const planted = new Areas([defineArea({ name: 'planted', module: PlantedModule })]);
    const findings = await findingsOf(openApiDocument(app, planted));
    // The planted routes have one of the three envelopes.
    const ofRoutes = findings
      .map((finding) => /^(\S+) paths\/\/planted\/(\w+)\/get/.exec(finding)?.slice(1).join(' of '))
      .filter((finding) => finding !== undefined);
    expect(new Set(ofRoutes)).toEqual(
      new Set([
        'operation-description of bare',
        'operation-scope of bare',
        'oas3-valid-schema-example of bare',
        'json-example of plain',
      ]),
    );
  });

  it('rejects a code that no area declares', async () => {
    const undeclared = new FastifyAdapter();
    @Module({ controllers: [UndeclaredController] })
    class UndeclaredModule {}
    const planted = await NestFactory.create(UndeclaredModule, undeclared, { logger: false });
    await planted.init();
    expect(() => openApiDocument(planted, new Areas([]))).toThrow(/declares postcard_lost/);
    await planted.close();
  });

  it('reports a tag that no area declares', async () => {
    const findings = await findingsOf(openApiDocument(app, new Areas([])));
    expect(findings.filter((finding) => finding.startsWith('operation-tag-defined'))).toHaveLength(
      3,
    );
  });
});
