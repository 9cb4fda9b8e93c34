import { describe, expect, it } from '@jest/globals';
import { bytesOf, ExpansionError, referencesIn, resolved, TemplateError } from './templates.js';

const scope = {
  inputs: { topic: 'knots', 'a-b': 'dash' },
  nodes: { find: { status: 'succeeded', output: { list: [{ id: 7 }, null], text: 'x{{y}}' } } },
  index: 2,
};

describe('a reference', () => {
  it.each([
    ['{{ inputs.topic }}', 'knots'],
    ['{{inputs.a-b}}', 'dash'],
    ['Of {{ inputs.topic }} and {{ index }}.', 'Of knots and 2.'],
    ['{{ nodes.find.output.list }}', [{ id: 7 }, null]],
    ['{{ nodes.find.output.list[0].id }}', 7],
    ['{{ nodes.find.output.list[1] }}', null],
    ['{{ nodes.find.output.list.length }}', 2],
    ['List: {{ nodes.find.output.list }}', 'List: [{"id":7},null]'],
    ['no reference', 'no reference'],
    ['', ''],
  ])('in %j becomes %j', (text, value) => {
    expect(resolved(text, scope)).toEqual(value);
  });

  it('is replaced in the whole of a value, once: its value is no template', () => {
    const value = { a: ['{{ nodes.find.output.text }}', 1, true, null], b: { c: '{{ index }}' } };
    expect(resolved(value, scope)).toEqual({ a: ['x{{y}}', 1, true, null], b: { c: 2 } });
  });

  it.each([
    '{{ inputs.none }}',
    '{{ nodes.find.output.list[2] }}',
    '{{ nodes.find.output.text.length }}',
    '{{ inputs.topic.x }}',
    '{{ inputs.toString }}',
  ])('to what is not there is an error: %s', (text) => {
    expect(() => resolved(text, scope)).toThrow(`${text} has no value`);
  });

  it.each([
    ['{{ }}', 'is not a path'],
    ['{{ inputs..topic }}', 'is not a path'],
    ['{{ inputs.topic + 1 }}', 'is not a path'],
    ['{{ inputs.__proto__ }}', 'has a name that is not allowed'],
    ['{{ inputs.constructor.name }}', 'has a name that is not allowed'],
    ['{{ inputs.topic', 'is not closed'],
    ['{{ inputs.topic }} {{ index', 'is not closed'],
    [`{{ inputs.${'a.'.repeat(600)}a }}`, 'is not a path'],
  ])('that cannot be read is an error: %s', (text, message) => {
    expect(() => referencesIn({ a: [text] })).toThrow(TemplateError);
    expect(() => referencesIn({ a: [text] })).toThrow(message);
  });

  it('is counted before anything is made of it', () => {
    const large = { inputs: { a: 'é'.repeat(32_768) } };
    const value = { items: Array.from({ length: 500 }, () => '{{inputs.a}}'.repeat(10)) };
    const began = process.memoryUsage().heapUsed;
    expect(() => resolved(value, large)).toThrow(ExpansionError);
    expect(() => bytesOf(value, large, 10_000_000)).toThrow('expand to more than 10000000 bytes');
    expect(process.memoryUsage().heapUsed - began).toBeLessThan(50_000_000);
    expect(bytesOf({ items: ['{{inputs.a}} {{inputs.a}}'] }, large, 200_000)).toBe(131_079);
    const whole = { a: '{{ nodes.find.output.list }}', b: '{{ nodes.find.output.list }}' };
    expect(bytesOf(whole, scope, 100)).toBe(2 * (1 + '[{"id":7},null]'.length));
    expect(() => resolved(whole, scope, 31)).toThrow(ExpansionError);
  });

  it.each([
    '{'.repeat(250_000),
    '{{'.repeat(125_000),
    `{{ ${' '.repeat(250_000)}`,
    `{{ a${'.a'.repeat(125_000)}! }}`,
    `{{a}}${'}'.repeat(250_000)}`,
  ])('is looked for in linear time', (text) => {
    const began = performance.now();
    try {
      referencesIn(text);
    } catch (error) {
      expect(error).toBeInstanceOf(TemplateError);
      expect(String(error).length).toBeLessThan(200);
    }
    expect(performance.now() - began).toBeLessThan(500);
  });

  it('is found with its place', () => {
    expect(referencesIn({ a: ['x', 'y {{ inputs.topic }} {{ index }}'], b: 1 })).toEqual([
      { text: 'inputs.topic', path: ['inputs', 'topic'], at: ['a', 1] },
      { text: 'index', path: ['index'], at: ['a', 1] },
    ]);
  });
});
