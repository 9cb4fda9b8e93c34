/**
 * Asks the process beside it whether it is well, and ends with 0 or 1. An image without curl needs
 * nothing more.
 *
 *     node docker/health-check.mjs [/health/live | /health/ready]
 */
const TIMEOUT_MS = 4_000;

const [, , path = '/health/live'] = process.argv;
const { PORT, QUIPU_OPERATIONS_PORT, QUIPU_OPERATIONS_TOKEN } = process.env;
// The operations port and the token show the reasons of a process that is not ready.
const port = QUIPU_OPERATIONS_PORT || PORT || '8080';
const headers = QUIPU_OPERATIONS_TOKEN ? { authorization: `Bearer ${QUIPU_OPERATIONS_TOKEN}` } : {};

try {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, signal });
  // `docker inspect` shows what was said here: the reasons of a process that is not ready.
  console.log(await response.text());
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.log(error instanceof Error ? `${error.message}: ${error.cause ?? ''}` : error);
  process.exitCode = 1;
}
