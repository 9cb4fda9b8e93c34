import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Debian's programs, each with the options of a kind of delta. */
export const ENCODERS = {
  'xdelta3 -S none -n -A': (base, result, delta) =>
    execFileSync('xdelta3', ['-e', '-S', 'none', '-n', '-A', '-s', base, result, delta]),
  'xdelta3 -S none': (base, result, delta) =>
    execFileSync('xdelta3', ['-e', '-S', 'none', '-s', base, result, delta]),
  'xdelta3 -S none -W 16384': (base, result, delta) =>
    execFileSync('xdelta3', ['-e', '-S', 'none', '-W', '16384', '-s', base, result, delta]),
  'xdelta3 -S none, without a base': (_base, result, delta) =>
    execFileSync('xdelta3', ['-e', '-S', 'none', result, delta]),
  bsdiff: (base, result, delta) => execFileSync('bsdiff', [base, result, delta]),
};

/** The rejected ones: with secondary compression, which xdelta3 may apply or leave out. */
export const COMPRESSED = {
  'xdelta3 -S lzma': (base, result, delta) =>
    execFileSync('xdelta3', ['-e', '-S', 'lzma', '-s', base, result, delta]),
  'xdelta3 -S djw': (base, result, delta) =>
    execFileSync('xdelta3', ['-e', '-S', 'djw', '-s', base, result, delta]),
};

/** The delta of a pair. */
export const encode = (encoder, { base, result }) => {
  const folder = mkdtempSync(join(tmpdir(), 'delta-oracle-'));
  try {
    const [baseFile, resultFile, deltaFile] = ['base', 'result', 'delta'].map((name) =>
      join(folder, name),
    );
    writeFileSync(baseFile, base);
    writeFileSync(resultFile, result);
    encoder(baseFile, resultFile, deltaFile);
    return readFileSync(deltaFile);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** @throws Error where a program is missing */
export const versions = () => {
  const { stderr } = spawnSync('xdelta3', ['-V'], { encoding: 'utf8' });
  const installed = execFileSync('dpkg-query', ['-W', '-f', '${Version}', 'bsdiff']).toString();
  return { xdelta3: stderr.split(',')[0], bsdiff: installed };
};
