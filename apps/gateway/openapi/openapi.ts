import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance } from 'fastify';
import { Areas } from '#platform/runtime/areas/area.js';
import { openApiDocument } from './openapi.document.js';
import { uiFile, UI_PAGE } from './swagger-ui.js';

/**
 * Serves `/openapi.json`, and Swagger UI at `/docs`. The first request builds the document or loads
 * the files of the UI, so that neither slows the start.
 */
export const serveOpenApi = (app: NestFastifyApplication, fastify: FastifyInstance): void => {
  let document: Buffer | undefined;
  fastify.get('/openapi.json', (_request, reply) => {
    document ??= Buffer.from(
      JSON.stringify(openApiDocument(app, app.get(Areas, { strict: false }))),
    );
    void reply.type('application/json; charset=utf-8').send(document);
  });
  fastify.get('/docs', (_request, reply) => {
    void reply.type('text/html; charset=utf-8').send(UI_PAGE);
  });
  fastify.get<{ Params: { file: string } }>('/docs/:file', async (request, reply) => {
    const found = await uiFile(request.params.file);
    if (!found) {
      reply.callNotFound();
      return;
    }
    await reply.type(found.type).send(found.content);
  });
};
