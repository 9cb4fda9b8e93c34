import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance } from 'fastify';
import { BEARER_SCHEMES, HEADER_SCHEME } from './credentials.docs.js';
import { uiFile, UI_PAGE } from './swagger-ui.js';

/** The release of the promised interface that this build follows. */
const INTERFACE_VERSION = '4.0.2';

const describe = () => {
  const builder = new DocumentBuilder()
    .setTitle('Quipu')
    .setDescription(
      'Auditable compute and inference gateway. Every charge is an event, every balance the fold ' +
        'of its events. Fields marked as our own go beyond the promised interface.',
    )
    .setVersion(INTERFACE_VERSION)
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-KEY' }, HEADER_SCHEME);
  for (const [name, description] of Object.entries(BEARER_SCHEMES)) {
    builder.addBearerAuth({ type: 'http', scheme: 'bearer', description }, name);
  }
  return builder.build();
};

/**
 * `/openapi.json` and Swagger UI at `/docs`. The document is made and the UI's files are found when
 * first asked for: neither costs the start anything.
 */
export const serveOpenApi = (app: NestFastifyApplication, fastify: FastifyInstance): void => {
  let document: OpenAPIObject | undefined;
  fastify.get('/openapi.json', (_request, reply) => {
    document ??= SwaggerModule.createDocument(app, describe());
    void reply.send(document);
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
