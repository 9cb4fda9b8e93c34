import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { FIRST_BUILD_MS_MAX, goProgram } from '../servers/go-program.js';

const RULES = path.resolve(import.meta.dirname, '../../docker/prometheus');

describe('promtool', () => {
  let promtool: string;

  beforeAll(async () => {
    promtool = await goProgram({
      name: 'promtool',
      folder: 'test/host/promtool',
      files: ['go.mod', 'go.sum'],
      package: 'github.com/prometheus/prometheus/cmd/promtool',
      // Without the discovery of targets in clouds.
      tags: ['remove_all_sd', 'enable_dns_sd'],
    });
  }, FIRST_BUILD_MS_MAX);

  const run = async (...words: readonly string[]): Promise<string> =>
    (await promisify(execFile)(promtool, words, { cwd: RULES })).stdout;

  it('accepts the configurations of Prometheus', async () => {
    const checked = await run(
      'check',
      'config',
      '--syntax-only',
      'prometheus.yaml',
      'standalone.yaml',
    );
    expect(checked.match(/SUCCESS/g)).toHaveLength(2);
  });

  it('has nothing against the rules', async () => {
    const checked = await run('check', 'rules', '--lint=all', '--lint-fatal', 'alerts.yaml');
    expect(checked).toMatch(/SUCCESS: \d+ rules found/);
  });

  it('sees each rule fire when it should, and not before', async () => {
    expect(await run('test', 'rules', 'alerts.test.yaml')).toContain('SUCCESS');
  });
});
