import nodeModule from 'node:module';
import path from 'node:path';

/** Beside the packages, so that a new installation starts with none. */
const FOLDER = path.resolve(import.meta.dirname, '../../../node_modules/.cache/compiled');

const NODE_MIN = 24;

/**
 * Keeps compiled code on disk: a later start compiles nothing, which is about a fifth of its time.
 * Code that was imported before this call is not kept, so a process calls it first and imports the
 * rest afterwards, which an older Node cannot do. Where the folder cannot be written, a start takes
 * longer and nothing else.
 */
export const keepCompiledCode = (): void => {
  expectNode();
  nodeModule.enableCompileCache(FOLDER);
};

const expectNode = (): void => {
  if (Number.parseInt(process.versions.node, 10) >= NODE_MIN) return;
  process.stderr.write(
    `Quipu runs on Node ${NODE_MIN}, and this is ${process.version}: npm installs the right one ` +
      'as node_modules/.bin/node, which `npm start` and `npm run quipu` use\n',
  );
  process.exit(2);
};
