/**
 * The benches of pictures, frames, speech and streams in one run, one after the other:
 * `npm run media -- --python PROGRAM`.
 */
for (const bench of ['images', 'vision', 'speech', 'streams']) {
  process.stdout.write(`# ${bench}\n`);
  await import(`./${bench}.bench.js`);
}
