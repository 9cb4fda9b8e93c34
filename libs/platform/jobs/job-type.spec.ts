import { describe, expect, it } from '@jest/globals';
import { defineJob, JobTypes, UnknownJobTypeError } from './job-type.js';
import { knotsType } from './knots.job.fake.js';

describe('a job type', () => {
  const type = knotsType();

  it.each(['', 'Knots', '1st', 'a b', 'a'.repeat(65)])('is not called %j', (name) => {
    expect(() => defineJob({ ...type, name })).toThrow(TypeError);
  });

  it.each(Object.keys(type.limits))('has a positive whole number as its %s', (limit) => {
    for (const value of [0, -1, 1.5, Number.NaN]) {
      const limits = { ...type.limits, [limit]: value };
      expect(() => defineJob({ ...type, limits })).toThrow(`cannot be its ${limit}`);
    }
  });

  it('is tried at least once, and has codes that events can hold', () => {
    const none = { ...type.retry, attemptsMax: 0 };
    expect(() => defineJob({ ...type, retry: none })).toThrow('cannot be its attemptsMax');
    const failures = { 'Not A Code': 'retry' } as const;
    expect(() => defineJob({ ...type, retry: { ...type.retry, failures } })).toThrow(
      'failure code',
    );
  });
});

describe('the job types of a process', () => {
  it('are found by their names, of which each is taken once', () => {
    const type = knotsType();
    const types = new JobTypes([type]);
    expect(types.of('knots')).toBe(type);
    expect(types.list).toEqual([type]);
    expect(() => types.of('weaving')).toThrow(UnknownJobTypeError);
    expect(() => new JobTypes([type, knotsType()])).toThrow('two job types are called knots');
  });
});
