import { type Command, InvalidArgumentError } from 'commander';
import { command, commandGroup, type DeclareCommands, type Invoke } from '../declare-command.js';
import { limitOf } from '../options.js';
import {
  type ProposeRootOptions,
  type PublishRootOptions,
  type SignRootOptions,
} from './change-root.js';
import { type RunPackageOptions } from './run-package.js';
import { type VerifyPackageOptions } from './verify-package.js';

const FINGERPRINT = /^[0-9a-f]{64}$/;

const fingerprintOf = (text: string): string => {
  if (FINGERPRINT.test(text)) return text;
  throw new InvalidArgumentError('Expected 64 hexadecimal digits.');
};

const portOf = (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError('Expected a port.');
};

export const declareCommands: DeclareCommands = (program, invoke) => {
  const packages = commandGroup(program, 'package', 'Verify and run packages; manage their keys.');
  addUse(packages, invoke);
  addKeys(packages, invoke);
};

const addUse = (packages: Command, invoke: Invoke): void => {
  command(packages, 'verify', 'Verify a package without a network; needs no installation.')
    .argument('<file>', 'the package, as it was downloaded')
    .option('--root <fingerprint>', 'of a root of the keys, known from elsewhere', fingerprintOf)
    .action((file: string, options: Omit<VerifyPackageOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./verify-package.js')).verifyFile),
    );
  command(packages, 'run', 'Verify a package and serve its model; needs no installation.')
    .argument('<file>', 'the package, as it was downloaded')
    .option('--root <fingerprint>', 'of a root of the keys, known from elsewhere', fingerprintOf)
    .option('--prompt <text>', 'print one answer of a chat model, and serve nothing')
    .option('--max-tokens <count>', 'of that answer; default: as the package says', limitOf)
    .option('--port <number>', 'of the server on 127.0.0.1', portOf, 8_080)
    .option('--home <folder>', 'where it keeps its files; default: removed at the end')
    .action((file: string, options: Omit<RunPackageOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./run-package.js')).runPackage),
    );
};

const addKeys = (packages: Command, invoke: Invoke): void => {
  command(packages, 'roots', 'Show the roots of the keys that were published.').action(
    (options: object) => invoke(options, async () => (await import('./list-roots.js')).listRoots),
  );
  command(packages, 'propose-root', 'Write the next root, signed by this installation.')
    .argument('<file>', 'the file to write')
    .option('--rotate', 'with new keys for seals and licences')
    .option('--root-key <file...>', 'public keys (PEM, Ed25519) that sign roots from then on')
    .option('--threshold <count>', 'how many of them must sign; default: all', limitOf)
    .action((file: string, options: Omit<ProposeRootOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./change-root.js')).proposeRoot),
    );
  command(packages, 'sign-root', 'Add a signature to a root; needs no installation.')
    .argument('<file>', 'the root, which is changed')
    .requiredOption('--key <file>', 'the private key (PEM, Ed25519)')
    .action((file: string, options: Omit<SignRootOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./change-root.js')).signRoot),
    );
  command(packages, 'publish-root', 'Publish a root that enough keys have signed.')
    .argument('<file>', 'the root')
    .action((file: string, options: Omit<PublishRootOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./change-root.js')).publishRoot),
    );
};
