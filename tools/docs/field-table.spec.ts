import { describe, expect, it } from '@jest/globals';
import { fieldTable, type Schema } from './field-table.js';

const LINE: Schema = {
  type: 'object',
  required: ['meter'],
  properties: {
    meter: { type: 'string', description: 'What is counted | or {{not}}.' },
    tier: { anyOf: [{ enum: ['flex', 'batch'] }, { type: 'null' }] },
  },
};

describe('the table of fields', () => {
  it('has the fields of references, lists and parts, and shows a text as it is', () => {
    const schema: Schema = {
      allOf: [
        { properties: { id: { type: ['string', 'null'] } } },
        { required: ['lines'], properties: { lines: { type: 'array', items: { $ref: 'Line' } } } },
      ],
    };
    const table = fieldTable(schema, (one) => (one.$ref === 'Line' ? LINE : one));
    expect(table.split('\n').slice(2)).toEqual([
      '| `id` | string or null | no |  |',
      '| `lines` | list of object | yes |  |',
      '| `lines[].meter` | string | yes | What is counted \\| or &#123;&#123;not}}. |',
      '| `lines[].tier` | `"flex"`, `"batch"` or null | no |  |',
    ]);
  });

  it('ends at a schema that contains itself', () => {
    const tree: Schema = { properties: { children: { type: 'array', items: { $ref: 'Tree' } } } };
    const table = fieldTable(tree, (one) => (one.$ref === 'Tree' ? tree : one));
    expect(table).toContain('`children[].children[].children`');
    expect(table).not.toContain('`children[].children[].children[].children`');
  });

  it('is empty for a schema without fields', () => {
    expect(fieldTable({ type: 'string' }, (one) => one)).toBe('');
  });
});
