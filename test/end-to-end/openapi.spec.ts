import { Controller, Get, type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiOkResponse, ApiOperation, ApiTags, type OpenAPIObject } from '@nestjs/swagger';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { areas } from '#apps/composition/areas.js';
import { openApiDocument } from '#apps/gateway/openapi/openapi.document.js';
import { Areas, defineArea } from '#platform/runtime/area.js';
import { startWorld, type World } from './quipu.harness.js';

const { Spectral } = spectralCore;
const { oas } = spectralRulesets;

/** What Spectral's recommended rules for OpenAPI find, errors and warnings, one line each. */
const findingsOf = async (document: object): Promise<readonly string[]> => {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']] });
  const findings = await spectral.run(structuredClone(document) as Record<string, unknown>);
  return findings.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`);
};

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly description?: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

interface OpenApiDocument extends Pick<OpenAPIObject, 'openapi' | 'info' | 'tags'> {
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

  it('lists every domain error of every area, except those that leave as a defect', () => {
    const errors = Object.entries(new Areas(areas).errors());
    for (const [code, { status }] of errors) {
      const isListed = document.info.description?.includes(`| ${status} | \`${code}\` |`);
      expect([code, isListed]).toEqual([code, status !== 500]);
    }
  });

  it('gives each documented failure an example', () => {
    const failures = operations
      .filter(({ tags }) => !tags.includes('operations'))
      .flatMap(({ operationId, responses }) =>
        Object.entries(responses)
          .filter(([status]) => Number(status) >= 400)
          .map(([status, { content }]) => ({ at: `${operationId} ${status}`, content })),
      );
    const bare = failures.filter(({ content }) => !JSON.stringify(content).includes('"example"'));
    expect(bare.map(({ at }) => at)).toEqual([]);
    expect(failures.length).toBeGreaterThan(50);
  });
});

describe('the check of the OpenAPI document', () => {
  let app: INestApplication;

  @ApiTags('planted')
  @Controller('planted')
  class PlantedController {
    @Get('described')
    @ApiOperation({ summary: 'Described', description: 'This route is described.' })
    @ApiOkResponse({ description: 'Described.', schema: { type: 'string' } })
    described(): string {
      return '';
    }

    @Get('bare')
    @ApiOperation({ summary: 'Bare' })
    @ApiOkResponse({ description: 'Bare.', schema: { type: 'string', example: 1 } })
    bare(): string {
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

  it('reports a route without a description, and an example that does not fit', async () => {
    const planted = new Areas([defineArea({ name: 'planted', module: PlantedModule })]);
    const findings = await findingsOf(openApiDocument(app, planted));
    expect(findings).toEqual([
      expect.stringContaining('operation-description paths//planted/bare/get'),
      expect.stringMatching(/^oas3-valid-\w+-example paths\/\/planted\/bare\/get/),
    ]);
  });

  it('reports a tag that no area declares', async () => {
    const findings = await findingsOf(openApiDocument(app, new Areas([])));
    expect(findings.filter((finding) => finding.startsWith('operation-tag-defined'))).toHaveLength(
      2,
    );
  });
});
