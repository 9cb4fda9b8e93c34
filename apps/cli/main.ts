import { runCommandLine } from './command-line.js';
import { EXIT } from './exit-code.js';

const interruption = new AbortController();

/** The first Ctrl-C asks, the second insists. Every append is atomic, so neither tears a thing. */
const interrupt = (): void => {
  if (interruption.signal.aborted) process.exit(EXIT.interrupted);
  interruption.abort();
};
process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);

// `quipu events tail | head` ends when head has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed);
});

const { env: environment, stdin, stdout, stderr } = process;
const invocation = { environment, stdin, stdout, stderr, signal: interruption.signal };
const exitCode = await runCommandLine(process.argv.slice(2), invocation);
// A pipe may still hold the last lines; whatever else would keep the process alive is of no use now.
process.stdout.write('', () => process.exit(exitCode));
