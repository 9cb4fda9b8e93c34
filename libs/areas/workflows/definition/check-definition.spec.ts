import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { z } from 'zod';
import { type DomainError } from '#platform/kernel/domain-error.js';
import { Areas, defineArea } from '#platform/runtime/areas/area.js';
import { defineTool } from '#platform/tools/tool.js';
import { Tools } from '#platform/tools/tools.js';
import { checkDefinition } from './check-definition.js';

@Module({})
class EchoModule {}

class NoRunner {
  estimate = () => Promise.reject(new Error('nothing runs here'));
  run = () => Promise.reject(new Error('nothing runs here'));
}

const echo = defineTool({
  name: 'echo',
  description: 'Repeats.',
  input: z.strictObject({ text: z.string().max(5), times: z.int().min(1).default(1) }),
  output: z.string(),
  meters: {},
  runner: NoRunner,
});
const area = defineArea({ name: 'echo', module: EchoModule, tools: [echo] });
const tools = new Tools(new Areas([area]), { get: () => undefined } as never);

const node = (name: string, more: object = {}) => ({
  name,
  kind: 'echo',
  parameters: { text: name },
  ...more,
});
const check = (nodes: readonly object[], more: object = {}) =>
  checkDefinition({ nodes, ...more }, tools);

const faultOf = (definition: unknown): { message: string; field: unknown } => {
  try {
    checkDefinition(definition, tools);
  } catch (error) {
    const { code, detail, metadata } = error as DomainError;
    expect(code).toBe('workflow_invalid');
    return { message: detail, field: metadata?.['field'] };
  }
  throw new Error('accepted');
};

const branch = (then: readonly string[]) => ({
  name: 'choose',
  kind: 'branch',
  parameters: { cases: [{ when: { value: 1, operator: 'equals', to: 1 }, then }] },
});

describe('a definition', () => {
  it('becomes a plan in topological order, with its limits and defaults', () => {
    const retry = { attempts_max: 3, first_pause_ms: 10, pause_ms_max: 50 };
    const nodes = [
      node('z', { after: ['a', 'm', 'a'], trigger_rule: 'all_done', retry, timeout_seconds: 0.5 }),
      node('m'),
      node('a'),
    ];
    const { plan } = check(nodes, { concurrency: 2, timeout_seconds: 60 });
    expect(plan).toMatchObject({ concurrencyMax: 2, timeOutMs: 60_000 });
    expect(plan.nodes.map(({ name }) => name)).toEqual(['a', 'm', 'z']);
    expect(plan.nodes[2]).toEqual({
      name: 'z',
      kind: 'echo',
      tool: 'echo',
      after: ['a', 'm'],
      triggerRule: 'all_done',
      attemptsMax: 3,
      backOffMs: 10,
      backOffMsMax: 50,
      timeOutMs: 500,
    });
    expect(check([node('a')]).plan).toMatchObject({
      concurrencyMax: 8,
      timeOutMs: 86_400_000,
      nodes: [{ after: [], triggerRule: 'all_success', attemptsMax: 1, timeOutMs: null }],
    });
  });

  it('knows which tool a node calls', () => {
    const map = { items: [1], tool: 'echo', parameters: { text: '{{ item }}' } };
    const { plan } = check([
      branch(['pause']),
      { name: 'pause', kind: 'wait', after: ['choose'], parameters: { seconds: 1 } },
      { name: 'ask', kind: 'approval' },
      { name: 'each', kind: 'map', parameters: map },
    ]);
    expect(Object.fromEntries(plan.nodes.map(({ name, tool }) => [name, tool]))).toEqual({
      ask: null,
      choose: null,
      each: 'echo',
      pause: null,
    });
  });

  it('leaves the value of a reference to the run', () => {
    const parameters = { text: '{{ nodes.a.output }} is long', times: '{{ inputs.times }}' };
    const inputs = { times: {} };
    expect(() =>
      check([node('a'), node('b', { after: ['a'], parameters })], { inputs }),
    ).not.toThrow();
  });

  it.each<[string, unknown, string, string]>([
    ['no object', 7, 'definition', 'expected an object'],
    ['no nodes', { nodes: [] }, 'nodes', 'expected an array of at least 1 elements'],
    ['a name that cannot be used', { nodes: [node('A b')] }, 'nodes[0].name', 'lower case'],
    ['twins', { nodes: [node('a'), node('a')] }, 'nodes[1].name', 'another node is called a'],
    ['a dangling edge', { nodes: [node('a', { after: ['b'] })] }, 'nodes[0].after[0]', 'no node b'],
    ['a loop', { nodes: [node('a', { after: ['a'] })] }, 'nodes[0].after', 'a -> a'],
    [
      'a cycle',
      { nodes: [node('x'), node('a', { after: ['b', 'x'] }), node('b', { after: ['a'] })] },
      'nodes[1].after',
      'a -> b -> a',
    ],
    [
      'a rule that can never hold',
      { nodes: [node('a', { trigger_rule: 'one_failed' })] },
      'nodes[0].trigger_rule',
      'needs a node before it',
    ],
    [
      'an unknown kind',
      { nodes: [node('a', { kind: 'paint' })] },
      'nodes[0].kind',
      'there is no kind paint; the kinds are branch, map, wait, approval, echo',
    ],
    [
      'a wrong parameter',
      { nodes: [node('a', { parameters: { text: 'too long' } })] },
      'nodes[0].parameters.text',
      'expected a ',
    ],
    [
      'a parameter too much',
      { nodes: [node('a', { parameters: { text: 'a', tone: 'b' } })] },
      'nodes[0].parameters',
      'tone: this field is not supported',
    ],
    [
      'a missing parameter',
      { nodes: [node('a', { parameters: {} })] },
      'nodes[0].parameters.text',
      'expected a string',
    ],
    [
      'a map of an unknown tool',
      {
        nodes: [
          { name: 'a', kind: 'map', parameters: { items: [], tool: 'wait', parameters: {} } },
        ],
      },
      'nodes[0].parameters.tool',
      'there is no tool wait; the tools are echo',
    ],
    [
      'a wrong parameter of the tool of a map',
      {
        nodes: [
          {
            name: 'a',
            kind: 'map',
            parameters: { items: [], tool: 'echo', parameters: { text: 7 } },
          },
        ],
      },
      'nodes[0].parameters.parameters.text',
      'expected a string',
    ],
    [
      'a branch to a node that does not follow',
      { nodes: [branch(['a']), node('a')] },
      'nodes[0].parameters',
      'a does not come directly after the branch choose',
    ],
    [
      'a reference to a node that does not come before',
      { nodes: [node('a'), node('b', { parameters: { text: '{{ nodes.a.output }}' } })] },
      'nodes[1].parameters.text',
      'a does not come before this node',
    ],
    [
      'a reference to an input that is not declared',
      { nodes: [node('a', { parameters: { text: '{{ inputs.b }}' } })] },
      'nodes[0].parameters.text',
      'declares no such input',
    ],
    [
      'an item outside of a map',
      { nodes: [node('a', { parameters: { text: '{{ item }}' } })] },
      'nodes[0].parameters.text',
      "only the parameters of a map's tool",
    ],
    [
      'another root',
      { nodes: [node('a', { parameters: { text: '{{ env.HOME }}' } })] },
      'nodes[0].parameters.text',
      'references begin with inputs, nodes, run',
    ],
    [
      'a reference that cannot be read',
      { nodes: [node('a', { parameters: { text: '{{ 1 + 1 }}' } })] },
      'nodes[0].parameters',
      'is not a path',
    ],
    [
      'more bytes than are kept',
      { nodes: [node('a')], description: 'x'.repeat(262_144) },
      'definition',
      'bytes of JSON are more than 262144',
    ],
  ])('is refused with %s', (_, definition, field, message) => {
    const fault = faultOf(definition);
    expect(fault.field).toBe(field);
    expect(fault.message).toContain(`${field}: `);
    expect(fault.message).toContain(message);
  });

  it('is refused with all faults of one kind at once', () => {
    const { message } = faultOf({ nodes: [node('a', { kind: 'x' }), node('b', { after: ['z'] })] });
    expect(message).toContain('nodes[0].kind');
    expect(message).toContain('nodes[1].after[0]');
  });
});
