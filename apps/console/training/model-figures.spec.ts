import { describe, expect, it } from '@jest/globals';
import { differenceOf, modelsOf, rowsOf } from './model-figures.js';

type Job = Parameters<typeof rowsOf>[0];

const job = (id: string, changes: Partial<Job>): Job => ({
  id,
  account_id: '7',
  type: 'distillation',
  state: 'completed',
  summary: {},
  after: [],
  parent_id: null,
  retry_of: null,
  attempt: 1,
  attempts_max: 1,
  progress: null,
  usage: [],
  result: null,
  error: null,
  limit: null,
  charge: null,
  submitted_at: '2026-11-21T04:48:00.000Z',
  start_before: '2026-11-21T05:48:00.000Z',
  started_at: null,
  run_until: null,
  paused_until: null,
  ended_at: null,
  ...changes,
});

const resultOf = (summary: Readonly<Record<string, unknown>>): Job['result'] => ({
  address: 'sha256:00',
  bytes: 1,
  is_kept: true,
  summary,
});

const TRAINED = job('a', {
  summary: { student: { name: 'acme/student', parameters: 1_000 }, teacher: null },
  result: resultOf({ model: '7/small', held_out: { after: { perplexity: 12 } }, losses: [1] }),
});
const QUANTIZED = job('b', {
  type: 'quantization',
  summary: { slug: 'ternary', model: 'acme/student' },
  result: resultOf({
    measured: { quantized_perplexity: 15 },
    held_out: { after: { perplexity: 9 } },
  }),
});

describe('models that jobs have made', () => {
  it('have the names of trainings and quantizations, each once', () => {
    const again = job('c', { ...TRAINED, id: 'c', submitted_at: '2026-11-22T04:48:00.000Z' });
    const made = modelsOf([again, QUANTIZED, TRAINED, job('d', {})]);
    expect(made.map(({ name, job: { id } }) => [name, id])).toEqual([
      ['7/small', 'c'],
      ['7/ternary', 'b'],
    ]);
  });

  it('are compared by all figures of both, without lists', () => {
    const rows = rowsOf(TRAINED, QUANTIZED);
    expect(rows).toEqual(
      expect.arrayContaining([
        { name: 'made by', one: 'distillation', other: 'quantization' },
        { name: 'student: parameters', one: 1_000, other: undefined },
        { name: 'teacher', one: null, other: undefined },
        { name: 'held out: after: perplexity', one: 12, other: 9 },
        { name: 'measured: quantized perplexity', one: undefined, other: 15 },
      ]),
    );
    expect(rows.some(({ name }) => name === 'losses')).toBe(false);
    const perplexity = rows.find(({ name }) => name.endsWith('after: perplexity'));
    expect(perplexity && differenceOf(perplexity)).toBe(3);
  });

  it('have no difference where one was not measured', () => {
    expect(differenceOf({ name: 'x', one: 1, other: null })).toBeNull();
    expect(differenceOf({ name: 'x', one: 'a', other: 'b' })).toBeNull();
  });
});
