import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { publishers } from '#apps/composition/areas.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { eventSchemas, schemaFile } from '#platform/runtime/areas/event-schemas.js';
import { committedSchemas, goldenEvents, nameOf, type VersionedFile } from './golden.files.js';
import { type StoredEventValidator, storedEventValidator } from './stored-event.validator.js';

const CONTEXT = {
  requestId: 'f3f1a7de-52f6-4f3e-8f0b-5f0a4d9a3b11',
  correlationId: 'f3f1a7de-52f6-4f3e-8f0b-5f0a4d9a3b11',
  causationId: 'f3f1a7de-52f6-4f3e-8f0b-5f0a4d9a3b11',
  actor: 'user-1',
};

describe('the committed JSON Schemas', () => {
  let committed: readonly VersionedFile[];
  let golden: readonly VersionedFile[];
  let violationsOf: StoredEventValidator;

  beforeAll(async () => {
    [committed, golden, violationsOf] = await Promise.all([
      committedSchemas(),
      goldenEvents(),
      storedEventValidator(),
    ]);
  });

  it('equal the schemas of the definitions; `npm run schemas` updates them', () => {
    const contents = new Map(
      committed.map(({ area, type, version, content }) => [
        schemaFile(area, type, version),
        content,
      ]),
    );
    for (const { file, schema } of eventSchemas(publishers)) {
      expect({ file, schema: contents.get(file) }).toEqual({ file, schema });
    }
  });

  it('cover every version ever written and nothing else', () => {
    expect(committed.map(nameOf).sort()).toEqual(golden.map(nameOf).sort());
  });

  it('hold for every golden event', () => {
    const violations = golden.flatMap(({ type, version, content }) =>
      violationsOf({ type, data: content as object, metadata: { version } }),
    );
    expect(violations).toEqual([]);
  });

  it('reject a missing field and an unknown one', () => {
    const [{ type, version, content } = { type: '', version: 0, content: {} }] = golden;
    const [first = ''] = Object.keys(content as object);
    const { [first]: missing, ...rest } = content as Record<string, unknown>;
    const data = { ...rest, unheardOf: true };
    const violations = violationsOf({ type, data, metadata: { version } });
    expect(violations).toContainEqual(expect.stringContaining(`'${first}'`));
    expect(violations).toContainEqual(expect.stringContaining('additional properties'));
  });

  it.each<[string, string, object]>([
    ['a purpose that no area declares', 'HoldPlaced', { purpose: 'juggling' }],
    ['a group that is not the product’s', 'HoldPlaced', { group: 'compute' }],
    ['evidence of a charge in a hold', 'HoldPlaced', { evidence: { rig: 'local-vllm' } }],
    ['evidence with more than the product states', 'HoldCaptured', { evidence: { prompt: 'x' } }],
  ])('reject %s', (_, type, wrong) => {
    const found = golden.find((file) => file.type === type);
    const data = { ...(found?.content as object), ...wrong };
    expect(violationsOf({ type, data, metadata: { version: 1 } })).toContainEqual(
      expect.stringContaining('must match exactly one schema in oneOf'),
    );
  });

  it('hold for events read from the log', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'schemas-'));
    const store = await openSqliteEventStore({ file: path.join(folder, 'events.db') });
    const codec = new EventCodec(publishers.flatMap(({ events }) => events));
    const newest = new Map(
      publishers.flatMap(({ events }) => events.map(({ type, version }) => [type, version])),
    );
    const events = golden.filter(({ type, version }) => newest.get(type) === version);
    for (const [index, { type, content }] of events.entries()) {
      const stream = `golden-${index}`;
      const event = codec.store({ type, data: content }, stream, 'Golden', CONTEXT, 0);
      await store.append(stream, [event], 'no-stream');
    }
    const stored: RecordedEvent[] = [];
    for await (const page of store.readAll()) stored.push(...page);
    expect(stored).toHaveLength(events.length);
    expect(stored.flatMap(violationsOf)).toEqual([]);
    await store.close();
    await rm(folder, { recursive: true });
  });
});
