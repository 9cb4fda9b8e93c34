import { describe, expect, it } from '@jest/globals';
import { type JsonObject } from './chat-backend.js';
import { NO_NEEDS, needsOf } from './chat-features.js';

const asking = (content: unknown): JsonObject => ({ messages: [{ role: 'user', content }] });

describe('what a chat needs of a rig', () => {
  it.each<[string, string, JsonObject]>([
    ['tools', 'tools', { tools: [{ type: 'function' }] }],
    ['json_schema', 'response_format', { response_format: { type: 'json_schema' } }],
    ['json_object', 'response_format', { response_format: { type: 'json_object' } }],
    ['logprobs', 'logprobs', { logprobs: true }],
    ['choices', 'n', { n: 2 }],
    ['images', 'messages', asking([{ type: 'text' }, { type: 'image_url' }])],
    ['audio', 'messages', asking([{ type: 'input_audio' }])],
    ['audio', 'audio', { audio: { voice: 'alloy' } }],
    ['logit_bias', 'logit_bias', { logit_bias: { 7: 1 } }],
    ['penalties', 'presence_penalty', { presence_penalty: 0.5 }],
    ['penalties', 'frequency_penalty', { frequency_penalty: -1 }],
    ['adapters', 'adapter', { adapter: 'pirate' }],
  ])('is %s for %s', (feature, param, body) => {
    expect(needsOf(body)).toEqual([{ feature, param }]);
  });

  it.each<[string, string, JsonObject]>([
    ['a private host', 'image_url.url', { image_url: { url: 'http://10.0.0.1/a' } }],
    ['a file', 'image_url.url', { image_url: { url: 'file:///etc/passwd' } }],
    ['a URL without an object', 'video_url', { video_url: 'gopher://example.com' }],
  ])('is a rig that takes private URLs, for %s', (_, field, part) => {
    const param = `messages[0].content[1].${field}`;
    const needs = needsOf(asking([{ type: 'text', text: 'Hi' }, part]));
    expect(needs).toEqual([{ feature: 'private_urls', param }]);
  });

  it.each<[string, JsonObject]>([
    [
      'public URLs and data',
      asking([
        { image_url: { url: 'https://example.com/a' } },
        { image_url: { url: `DATA:image/png;base64,${'A'.repeat(10_000)}` } },
        { image_url: { url: 7 } },
      ]),
    ],
    ['text', asking('Hi')],
    ['parts of text', asking([{ type: 'text', text: 'Hi' }])],
    ['fields that are null', { tools: null, n: null, adapter: null, response_format: null }],
    ['values that ask for nothing', { tools: [], n: 1, logprobs: false, logit_bias: {} }],
    ['penalties of nothing', { presence_penalty: 0, frequency_penalty: 0 }],
    ['an answer of text', { response_format: { type: 'text' } }],
    ['malformed fields, which rigs reject', { tools: 7, messages: 'Hi', n: 'x' }],
  ])('is nothing for %s', (_, body) => {
    expect(needsOf(body)).toBe(NO_NEEDS);
  });
});
