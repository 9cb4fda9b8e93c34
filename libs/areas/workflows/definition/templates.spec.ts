import { describe, expect, it } from '@jest/globals';
import { referencesIn, resolved, TemplateError } from './templates.js';

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

  it('is replaced in the whole of a value, once: what it brings is no template', () => {
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
  ])('that cannot be read is an error: %s', (text, message) => {
    expect(() => referencesIn({ a: [text] })).toThrow(TemplateError);
    expect(() => referencesIn({ a: [text] })).toThrow(message);
  });

  it('is found with its place', () => {
    expect(referencesIn({ a: ['x', 'y {{ inputs.topic }} {{ index }}'], b: 1 })).toEqual([
      { text: 'inputs.topic', path: ['inputs', 'topic'], at: ['a', 1] },
      { text: 'index', path: ['index'], at: ['a', 1] },
    ]);
  });
});
