/** Compares a record of passes, whose file is the argument, with the engine: `orbits-grid`. */
import { readFileSync } from 'node:fs';
import { comparePasses, type RecordedPasses } from './orbit-passes.js';

/**
 * Near the Earth it is a second. The elevation of AO-10, high above, changes by 0.0004° in 1.2 s,
 * and UTC for UT1 turns the Earth by as much.
 */
const SECONDS_APART_MAX = 1.5;

const [, , file = ''] = process.argv;
const { passes } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly passes: readonly RecordedPasses[];
};
const comparison = await comparePasses(passes);
console.log(comparison);
if (comparison.missing.length > 0 || comparison.secondsApart > SECONDS_APART_MAX) {
  process.exitCode = 1;
}
