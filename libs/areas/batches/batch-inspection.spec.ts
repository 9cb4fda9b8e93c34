import { describe, expect, it } from '@jest/globals';
import { FAULTS_MAX } from '#events/batches/batch.events.js';
import {
  EchoEndpoint,
  inputLine,
  inputOf,
  MODEL,
  PATH,
  piecesOf,
} from './batches-world.fixture.js';
import { inspectInput, LINES_MAX } from './batch-inspection.js';
import { CUSTOM_ID_LENGTH_MAX, LINE_BYTES_MAX } from './batch-item.js';

const inspect = (text: string, size = 65_536) =>
  inspectInput(piecesOf(text, size), PATH, new EchoEndpoint(), 0);

const faultsOf = async (...lines: readonly string[]) => {
  const inspected = await inspect(lines.join('\n'));
  return 'faults' in inspected ? inspected.faults : [];
};

const other = (changes: object): string =>
  JSON.stringify({ ...(JSON.parse(inputLine('a')) as object), ...changes });

describe('the inspection of an input file', () => {
  it('sums the worst case of its lines at the batch price', async () => {
    const inspected = await inspect(`${inputLine('one')}\n\n${inputLine('three')}\n`);
    if (!('input' in inspected)) throw new Error('it has faults');
    const { model, lines, held } = inspected.input;
    expect({ model, lines }).toEqual({ model: MODEL, lines: 2 });
    expect(held).toMatchObject([
      { meter: 'input_tokens', quantity: 8 },
      { meter: 'output_tokens', quantity: 200 },
    ]);
  });

  it('leaves a body that the endpoint rejects to its run, and holds nothing for it', async () => {
    const inspected = await inspect(`${inputLine('one')}\n${inputLine('two', { text: 2 })}`);
    expect(inspected).toMatchObject({
      input: { lines: 2, held: [{}, { meter: 'output_tokens', quantity: 100 }] },
    });
  });

  it.each([
    ['no JSON', '{"custom_id":', 'invalid_json_line', null],
    ['a list', '[]', 'invalid_json_line', null],
    ['no custom_id', other({ custom_id: undefined }), 'missing_required_parameter', 'custom_id'],
    ['an empty custom_id', other({ custom_id: '' }), 'invalid_parameter', 'custom_id'],
    [
      'a long custom_id',
      other({ custom_id: 'x'.repeat(CUSTOM_ID_LENGTH_MAX + 1) }),
      'invalid_parameter',
      'custom_id',
    ],
    ['another method', other({ method: 'GET' }), 'invalid_method', 'method'],
    ['another url', other({ url: '/v1/other' }), 'url_mismatch', 'url'],
    ['no body', other({ body: undefined }), 'missing_required_parameter', 'body'],
    ['a body that is no object', other({ body: 'x' }), 'invalid_parameter', 'body'],
    ['no model', other({ body: {} }), 'missing_required_parameter', 'body.model'],
    ['an unknown model', inputLine('a', { model: 'acme/none' }), 'model_not_found', 'body.model'],
    ['a long line', inputLine('a', { pad: 'x'.repeat(LINE_BYTES_MAX) }), 'line_too_long', null],
  ])('reports %s', async (_, line, code, param) => {
    expect(await faultsOf(line)).toMatchObject([{ code, param, line: 1 }]);
  });

  it('reports every line at fault by its number', async () => {
    const faults = await faultsOf(
      inputLine('a'),
      inputLine('a'),
      '',
      inputLine('b', { model: 'acme/other' }),
      'nonsense',
    );
    expect(faults.map(({ code, line }) => [code, line])).toEqual([
      ['duplicate_custom_id', 2],
      ['model_mismatch', 4],
      ['invalid_json_line', 5],
    ]);
    expect(faults.map(({ message }) => message)[0]).toBe('custom_id is the one of line 1');
  });

  it('reports an empty file', async () => {
    expect(await faultsOf('', '  ')).toMatchObject([{ code: 'empty_file', line: null }]);
  });

  it(`takes ${LINES_MAX} lines and no more`, async () => {
    expect(await inspect(inputOf(LINES_MAX))).toMatchObject({ input: { lines: LINES_MAX } });
    const inspected = await inspect(inputOf(LINES_MAX + 1));
    expect(inspected).toMatchObject({ faults: [{ code: 'too_many_tasks', line: null }] });
  });

  it(`stops at ${FAULTS_MAX} faults`, async () => {
    const faults = await faultsOf(...Array.from({ length: FAULTS_MAX + 9 }, () => 'nonsense'));
    expect(faults).toHaveLength(FAULTS_MAX);
  });

  it('does not hide a defect of the endpoint', async () => {
    const endpoint = new EchoEndpoint();
    endpoint.accept = () => {
      throw new TypeError('a defect');
    };
    const inspected = inspectInput(piecesOf(inputLine('a')), PATH, endpoint, 0);
    await expect(inspected).rejects.toThrow('a defect');
  });
});
