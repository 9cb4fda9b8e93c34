import { keepCompiledCode } from '../operations/compiled-code.js';

keepCompiledCode();
const { runCommandLine } = await import('./command-line.js');
const { EXIT } = await import('./exit-code.js');

const interruption = new AbortController();

/** The first Ctrl-C stops the command cleanly, the second at once. Every append is atomic. */
const interrupt = (): void => {
  if (interruption.signal.aborted) process.exit(EXIT.interrupted);
  interruption.abort();
};
process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);

// `quipu events tail | head` ends when `head` closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed);
});

const { env: environment, stdin, stdout, stderr } = process;
const invocation = { environment, stdin, stdout, stderr, signal: interruption.signal };
const exitCode = await runCommandLine(process.argv.slice(2), invocation);
// Flushes the last lines to a pipe, then ends the process whatever handles are still open.
process.stdout.write('', () => process.exit(exitCode));
