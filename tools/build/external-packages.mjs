/** The packages that stay in `node_modules`, by the reason why. */

/** They have compiled addons or WebAssembly beside their code. */
const NATIVE = ['node-llama-cpp', 'node-seal', '@node-rs/argon2', '@tensorflow/*'];

/** They read files of their own package, by path. */
const WITH_FILES = ['pdfkit', 'pino', 'qrcode', 'sales-tax', 'swagger-ui-dist'];

/** The banner of each file imports it. */
const IN_BANNER = ['reflect-metadata'];

/** A patch reaches into it by path. */
const PATCHED = ['kafkajs'];

/**
 * Large clients of servers that few installations have, loaded when a setting asks for one. Some
 * bring packages that must exist once, such as gRPC with the clients of EventStoreDB.
 */
const CLIENTS = [
  '@aws-sdk/*',
  '@eventstore/*',
  '@grpc/grpc-js',
  '@kurrent/*',
  '@platformatic/kafka',
  '@smithy/*',
  'google-protobuf',
  'mongodb',
];

/** Other packages ask for them if they are installed, and they are not, or not used. */
const OPTIONAL = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@grpc/proto-loader',
  '@nats-io/*',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'amqp-connection-manager',
  'amqplib',
  'bufferutil',
  'class-transformer/storage',
  'ioredis',
  'mqtt',
  'utf-8-validate',
];

const patternOf = (name) => new RegExp(`^${name.replace('/*', '/.+')}(/|$)`);

/** Patterns of the import specifiers that are left as they are. */
export const EXTERNAL = [
  ...NATIVE,
  ...WITH_FILES,
  ...IN_BANNER,
  ...PATCHED,
  ...CLIENTS,
  ...OPTIONAL,
].map(patternOf);
