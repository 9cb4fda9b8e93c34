import { describe, expect, it } from '@jest/globals';
import { GUARD_RULES_MAX } from '#events/guards/guard.events.js';
import { isDetecting, isFor } from './guard-rule.js';
import { parseGuardRules, readGuardRules } from './guard-rules.file.js';

const rulesOf = (...lines: readonly string[]) =>
  parseGuardRules(['rules:', ...lines.map((line) => `  - { ${line} }`)].join('\n'));

describe('the file of the rules', () => {
  it('has rules for detectors and patterns, with defaults that are closed', () => {
    const rules = rulesOf(
      'id: mail, what: email, on: both, do: redact',
      "id: staff, what: pattern, pattern: 'EMP-[0-9]{6}', on: request, do: block, fails: open",
    );
    expect(rules).toMatchObject([
      { id: 'mail', on: ['request', 'answer'], does: 'redact', failsOpen: false },
      { id: 'staff', on: ['request'], does: 'block', failsOpen: true },
    ]);
    const units = rules.filter(isDetecting).map(({ detector }) => detector.unitsMax);
    expect(units).toEqual([318, 20]);
  });

  it('limits a rule to models and accounts', () => {
    const [rule] = rulesOf(
      'id: a, what: card, on: answer, do: flag, models: [acme/m, n], accounts: [7, "8"]',
    );
    const isForChat = (model: string, accountId: string) =>
      rule && isFor(rule, { model, accountId });
    expect(isForChat('acme/m', '7')).toBe(true);
    expect(isForChat('n', '8')).toBe(true);
    expect(isForChat('o', '7')).toBe(false);
    expect(isForChat('n', '9')).toBe(false);
  });

  it.each([
    ['id: Mail, what: email, on: both, do: redact', 'rules[0].id: expected'],
    ['id: a, what: emails, on: both, do: redact', 'rules[0].what: expected'],
    ['id: a, what: email, on: reply, do: redact', 'rules[0].on: expected'],
    ['id: a, what: email, on: both, do: mask', 'rules[0].do: expected "block"'],
    ['id: a, what: email, on: both', 'rules[0].do: expected'],
    ['id: a, what: email, on: both, do: flag, fails: no', 'rules[0].fails: expected'],
    ['id: a, what: email, on: both, do: flag, models: []', 'rules[0].models: expected'],
    ['id: a, what: email, on: both, do: flag, pattern: b', 'rules[0].pattern'],
    ['id: a, what: webhook, url: "https://g.example", on: both, do: flag, window: 9', 'window'],
    ['id: a, what: webhook, url: "http://g.example", on: request, do: flag', 'rules[0].url'],
    ['id: a, what: webhook, url: "https://10.0.0.1", on: request, do: flag', 'rules[0].url'],
    ['id: a, what: webhook, url: "https://u:p@g.example", on: request, do: flag', 'no user'],
    ['id: a, what: pattern, on: both, do: flag', 'rules[0].pattern: expected'],
    ['id: a, what: pattern, pattern: b+, on: both, do: flag', 'rules[0].pattern: a match may have'],
  ])('names the field at fault in %s', (line, message) => {
    expect(() => rulesOf(line)).toThrow(message);
  });

  it('has an id once, and a bounded number of rules', () => {
    const line = (id: string) => `id: ${id}, what: email, on: both, do: flag`;
    expect(() => rulesOf(line('a'), line('a'))).toThrow('rules[1].id: expected an id of its own');
    const many = Array.from({ length: GUARD_RULES_MAX + 1 }, (_, n) => line(`r${n}`));
    expect(() => rulesOf(...many)).toThrow('rules: expected an array of at most 32');
    expect(rulesOf(...many.slice(1))).toHaveLength(GUARD_RULES_MAX);
  });

  it('is YAML of a bounded size that can be read', () => {
    expect(() => parseGuardRules('rules: [')).toThrow();
    expect(() => parseGuardRules(`# ${'x'.repeat(300_000)}`)).toThrow('262144 bytes');
    expect(() => parseGuardRules('')).toThrow('the body: expected an object');
    expect(() => readGuardRules('/nowhere/guards.yaml')).toThrow('cannot be read');
  });
});
