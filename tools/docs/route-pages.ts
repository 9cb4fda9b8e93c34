import { type OpenAPIObject } from '@nestjs/swagger';
import { cell, fieldTable, type Resolve, type Schema, tableOf, typeOf } from './field-table.js';

interface Content {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** A page for each tag of the OpenAPI document, by its name. */
export const routePages = (document: OpenAPIObject): ReadonlyMap<string, string> => {
  const resolve: Resolve = (schema) => {
    const name = schema.$ref?.split('/').at(-1);
    const found = name === undefined ? schema : document.components?.schemas?.[name];
    return found ?? {};
  };
  const pages = new Map<string, string[]>();
  for (const { name, description = '' } of document.tags ?? []) {
    pages.set(name, [`# Routes: ${name}`, cell(description)]);
  }
  for (const [route, methods] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = (methods as Partial<Record<string, Operation>>)[method];
      if (!operation) continue;
      const text = sectionOf(`${method.toUpperCase()} ${route}`, operation, resolve);
      for (const tag of operation.tags ?? []) pages.get(tag)?.push(text);
    }
  }
  return new Map([...pages].map(([name, parts]) => [name, `${parts.join('\n\n')}\n`]));
};

const sectionOf = (route: string, operation: Operation, resolve: Resolve): string => {
  const { summary = '', description = '', parameters = [], requestBody, responses } = operation;
  const body = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema = {} }]) => `Body, \`${type}\`:\n\n${fieldTable(schema, resolve)}`,
  );
  return [
    `## ${cell(summary)}`,
    `\`${route}\``,
    cell(description),
    tableOf(
      ['parameter', 'in', 'type', 'required', 'meaning'],
      parameters.map((parameter) => [
        `\`${parameter.name}\``,
        parameter.in,
        cell(typeOf(parameter.schema ?? {}, resolve)),
        parameter.required === true ? 'yes' : 'no',
        cell(parameter.description ?? ''),
      ]),
    ),
    ...body,
    ...answersOf(responses, resolve),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
};

/** Successes with their fields, then the codes of the failures. */
const answersOf = (responses: Operation['responses'], resolve: Resolve): readonly string[] => {
  const answers = Object.entries(responses);
  const successes = answers.filter(([status]) => Number(status) < 400);
  const failures = answers.filter(([status]) => Number(status) >= 400);
  return [
    ...successes.map(([status, { description, content = {} }]) => {
      const fields = Object.values(content).map(({ schema = {} }) => fieldTable(schema, resolve));
      return [`Answer ${status}: ${cell(description)}`, ...fields].join('\n\n');
    }),
    tableOf(
      ['failure', 'codes'],
      failures.map(([status, { content = {} }]) => {
        const codes = Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));
        return [status, codes.map((code) => `\`${code}\``).join(', ')];
      }),
    ),
  ];
};
