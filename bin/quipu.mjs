#!/usr/bin/env node
// The command `quipu`: runs the command line on the Node that the installation has, and builds it
// before its first use.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const root = path.resolve(import.meta.dirname, '..');
const main = path.join(root, 'bundle/apps/cli/main.js');
const installed = path.join(root, 'node_modules/node/bin/node');
const node = existsSync(installed) ? installed : process.execPath;

/** Ends this process as the other one ended. */
const run = (words, options) => {
  const { status, signal, error } = spawnSync(node, words, { stdio: 'inherit', ...options });
  if (error) throw error;
  if (signal) process.kill(process.pid, signal);
  return status ?? 1;
};

if (!existsSync(main)) {
  const status = run([path.join(root, 'tools/build/build.mjs')], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(status);
}
// A Ctrl-C reaches both; the command decides how it ends.
process.on('SIGINT', () => undefined);
process.exit(run(['--enable-source-maps', main, ...process.argv.slice(2)]));
