import { describe, expect, it } from '@jest/globals';
import { readOptions } from './bench-options.js';

describe('the options of the bench', () => {
  it('write a report at one and at fifty connections, to a file of the caller', () => {
    const options = readOptions(['--report', '--report-file', 'table.md']);
    expect(options.reportPath).toBe('table.md');
    expect(options.connections).toEqual([1, 50]);
    expect(readOptions([]).reportPath).toBeUndefined();
  });

  it('measure a gateway that the caller installed only when its program is named', () => {
    expect(readOptions(['--only', 'all']).parts.has('litellm')).toBe(false);
    const { parts, litellm } = readOptions(['--only', 'mock', '--litellm', '/opt/litellm']);
    expect([...parts]).toEqual(['mock', 'litellm']);
    expect(litellm).toBe('/opt/litellm');
  });

  it('measure cores only when they are named, and refuse a part that does not exist', () => {
    expect(readOptions([]).parts.has('cores')).toBe(false);
    expect(readOptions(['--only', 'cores']).parts.has('cores')).toBe(true);
    expect(() => readOptions(['--only', 'journal'])).toThrow('--only journal: expected all');
  });
});
