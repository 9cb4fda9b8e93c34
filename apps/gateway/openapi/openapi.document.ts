import { type INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { routingModesOf } from '#areas/inference/routing-modes.js';
import { type Areas } from '#platform/runtime/areas/area.js';
import { IDEMPOTENCY_HEADER } from '../idempotency/idempotency.metadata.js';
import { TAGS_PARAMETER } from '../paid/tags.header.js';
import { addHeaders } from './answer-headers.js';
import { BEARER_SCHEMES, HEADER_SCHEME } from './credentials.docs.js';
import { type FailureCode, failureCodesOf, failureTable } from './failure-codes.js';
import { addFailures, FAILURE_SCHEMAS, type Located } from './failure-responses.js';
import { webhookItems } from './webhooks.docs.js';

/** The release of the promised interface that this build follows. */
const INTERFACE_VERSION = '4.0.2';

const DESCRIPTION = `Auditable compute and inference gateway. Every charge is an event, and every \
balance is the fold of its events. Fields marked as our own go beyond the promised interface.

## Failures

Routes under \`/v1\`, and chat and models under \`/api/v1\`, fail as OpenAI does: \
\`{error:{message,type,param,code}}\`. All others fail as \`{success:false,message,code}\`. The \
code is stable. An upstream's own code passes through. \`/v1/messages\` fails as Anthropic does: \
\`{type:'error',error:{type,message,code},request_id}\`.
`;

/** The tag of the routes for operators, which do not fail with an envelope. */
const OPERATIONS_TAG = 'operations';

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

const describe = (areas: Areas, codes: readonly FailureCode[]) => {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Quipu')
    .setDescription(`${DESCRIPTION}\n${failureTable(codes)}`)
    .setVersion(INTERFACE_VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'This gateway')
    .addTag(OPERATIONS_TAG, 'Health and metrics of the process, for load balancers and operators.')
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-KEY',
        description: 'Any of the credentials, in a header of its own.',
      },
      HEADER_SCHEME,
    );
  for (const { name, description } of areas.list) builder.addTag(name, description);
  for (const [name, description] of Object.entries(BEARER_SCHEMES)) {
    builder.addBearerAuth({ type: 'http', scheme: 'bearer', description }, name);
  }
  const config = builder.build();
  return { ...config, info: { ...config.info, contact: { name: 'The operator of this gateway' } } };
};

/** `BillingController`, `overview`: `billing_overview`. Nest numbers the paths of one method. */
const operationId = (controller: string, method: string): string => {
  const name = controller.replace(/Controller$/, '');
  const action = method.replace(/\[\d+\]$/, '');
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}_${action}`;
};

/** The OpenAPI 3.1 document of an application whose routes are registered. */
export const openApiDocument = (app: INestApplication, areas: Areas): OpenAPIObject => {
  const codes = failureCodesOf(areas);
  const document = SwaggerModule.createDocument(app, describe(areas, codes), {
    operationIdFactory: operationId,
    autoTagControllers: false,
    extraModels: FAILURE_SCHEMAS,
  });
  const operations = operationsOf(document);
  nameAliases(operations);
  const modes = routingModesOf(areas);
  for (const { operation } of operations) {
    operation.security ??= [];
    listRoutingModes(operation, modes);
  }
  for (const located of operations) documentRepeats(located);
  const enveloped = operations.filter(
    ({ operation }) => operation.tags?.includes(OPERATIONS_TAG) !== true,
  );
  addFailures(document, enveloped, codes);
  for (const { operation } of enveloped) documentTags(operation);
  addHeaders(document, enveloped);
  const used = new Set(operations.flatMap(({ operation }) => operation.tags ?? []));
  return {
    ...document,
    tags: (document.tags ?? []).filter(({ name }) => used.has(name)),
    webhooks: webhookItems(areas),
  };
};

const REPEATS: Readonly<Record<string, string>> = { get: 'safe', put: 'method', delete: 'method' };

/**
 * How a client may repeat a request: `safe` changes nothing; `key` with an `Idempotency-Key`;
 * `method` has the effect once (RFC 9110, section 9.2.2); `none` says in its description what a
 * repeat does.
 */
const documentRepeats = ({ method, operation }: Located): void => {
  const takesKey = operation.parameters?.some(
    (parameter) => 'name' in parameter && parameter.name === IDEMPOTENCY_HEADER,
  );
  const repeat = takesKey === true ? 'key' : (REPEATS[method] ?? 'none');
  Object.assign(operation, { 'x-idempotency': repeat });
};

/** Every route that an account pays for takes tags. */
const documentTags = (operation: Located['operation']): void => {
  if (!('402' in operation.responses)) return;
  operation.parameters = [...(operation.parameters ?? []), TAGS_PARAMETER];
};

const operationsOf = ({ paths }: OpenAPIObject): readonly Located[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );

/** A route with two paths is two operations: the id of the second ends with its first segment. */
const nameAliases = (operations: readonly Located[]): void => {
  const ids = new Set<string>();
  for (const { path, operation } of operations) {
    const id = operation.operationId ?? '';
    operation.operationId = ids.has(id) ? `${id}_${path.split('/')[1] ?? ''}` : id;
    ids.add(operation.operationId);
  }
};

/** Client generators use the enumeration; the areas declare its values. */
const listRoutingModes = (
  { requestBody }: Located['operation'],
  modes: readonly string[],
): void => {
  if (!requestBody || !('content' in requestBody)) return;
  const schema = requestBody.content['application/json']?.schema;
  const field = schema && 'properties' in schema ? schema.properties['routing_mode'] : undefined;
  const [listed] = (field && 'anyOf' in field && field.anyOf) || [];
  if (listed && 'enum' in listed) listed.enum = [...modes];
};
