import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Node, not Jest, loads a global set-up, and Node does not resolve `x.js` to `x.ts`. */
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
 * Runs once before all suites. Starts the servers that the environment does not name, and puts
 * their URLs into the environment. `TEST_ENGINES` selects them in the end-to-end suite.
 */
const startServers = async (): Promise<void> => {
  const { startSharedServers } = await import('./shared-servers.js');
  Object.assign(process.env, await startSharedServers(process.env), { TEST_ENGINES: 'servers' });
};

export default startServers;
