import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Jest loads a global set-up as Node would, and Node does not look for `x.ts` as `x.js`. */
registerHooks({
  resolve: (specifier, context, next) => {
    const { parentURL } = context;
    if (parentURL === undefined || !/^\.{1,2}\/.*\.js$/.test(specifier)) {
      return next(specifier, context);
    }
    const source = new URL(specifier.replace(/\.js$/, '.ts'), parentURL);
    return existsSync(fileURLToPath(source))
      ? { url: source.href, shortCircuit: true, format: 'commonjs' }
      : next(specifier, context);
  },
});

/**
 * Once before all suites: a server for each that the environment does not name, and their URLs into
 * the environment. `TEST_ENGINES` tells the harness of the end-to-end suite to use them.
 */
const startServers = async (): Promise<void> => {
  const { startSharedServers } = await import('./shared-servers.js');
  Object.assign(process.env, await startSharedServers(process.env), { TEST_ENGINES: 'servers' });
};

export default startServers;
