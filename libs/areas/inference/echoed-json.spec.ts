import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { echoedJson } from './echoed-json.js';
import { type JsonObject } from './rigs/chat-backend.js';
import { keepSource } from './rigs/json-source.js';

const ECHO = { model: 'acme/llama', routing_mode: 'auto' };

const sent = (text: string): JsonObject => {
  const answer = JSON.parse(text) as JsonObject;
  keepSource(answer, text);
  return answer;
};

describe('the JSON of an answer with its echo', () => {
  it('changes the line of the rig in two places, and keeps its numbers and its order', () => {
    const line =
      '{"id":"c","model":"llama","created":1.70e9,"choices":[{"delta":{"content":"ä"}}]}';
    expect(echoedJson(sent(line), ECHO)).toBe(
      '{"id":"c","model":"acme/llama","created":1.70e9,"choices":[{"delta":{"content":"ä"}}],' +
        '"routing_mode":"auto"}',
    );
  });

  it.each([
    ['another field of this name', '{"model":"llama","choices":[{"model":"llama"}]}'],
    ['a field of this name before it', '{"choices":[{"model":"x"}],"model":"llama"}'],
    ['the field named twice', '{"model":"other","model":"llama","choices":[]}'],
    ['white space within', '{"model" : "llama","choices":[]}'],
    ['several lines', '{"model":"llama",\n"choices":[]}'],
    ['a routing mode of its own', '{"model":"llama","routing_mode":"rig","choices":[]}'],
    ['no model', '{"choices":[]}'],
    ['a model that is no text', '{"model":7,"choices":[]}'],
  ])('writes the whole again where there is %s', (_what, text) => {
    const answer = JSON.parse(text) as JsonObject;
    expect(echoedJson(sent(text), ECHO)).toBe(JSON.stringify({ ...answer, ...ECHO }));
  });

  it('says the same as the whole written again, whatever the rig sent', () => {
    const names = fc.constantFrom('model', 'routing_mode', 'choices', 'id', 'usage');
    const texts = fc.constantFrom(
      'llama',
      '"model":"llama"',
      'acme/llama',
      '\\"model\\"',
      'a"b',
      '',
    );
    const values = fc.oneof(texts, fc.jsonValue(), fc.dictionary(names, texts));
    const blanks = fc.constantFrom(undefined, 1);
    fc.assert(
      fc.property(fc.dictionary(names, values), blanks, (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        const echoed = JSON.parse(echoedJson(sent(text), ECHO)) as JsonObject;
        expect(echoed).toEqual({ ...(JSON.parse(text) as JsonObject), ...ECHO });
      }),
      { numRuns: 500 },
    );
  });
});
