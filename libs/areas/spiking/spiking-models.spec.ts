import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chosenBy, SpikingModels } from './spiking-models.js';
import { card, folderOf, settings } from './spiking-world.fixture.js';

const event = { ...card, slug: 'snnlib/dvs-convnet', routingMode: 'snn_spiking' };
const resnet = { ...event, slug: 'snnlib/spiking-resnet50' };

describe('the networks of an installation', () => {
  const folders: string[] = [];
  const modelsOf = (...modelFolders: readonly string[]) =>
    new SpikingModels({ ...settings, modelFolders });

  beforeAll(async () => {
    folders.push(await folderOf({ knots: card, dvs: event, resnet }));
    folders.push(await folderOf({ knots: { ...card, displayName: 'Other knots' }, more: resnet }));
    folders.push(await folderOf({ broken: { ...card, bounds: undefined } }));
  });

  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  const folder = (index: number): string => folders[index] ?? '';

  it('are read from every folder that exists, and the first folder with a name wins', () => {
    const { list } = modelsOf('/nowhere', folder(0), folder(1));
    expect(list.map(({ slug, displayName }) => [slug, displayName])).toEqual([
      ['snnlib/dvs-convnet', 'Knots'],
      ['snnlib/knots', 'Knots'],
      ['snnlib/spiking-resnet50', 'Knots'],
      ['snnlib/spiking-resnet50', 'Knots'],
    ]);
    expect(modelsOf('/nowhere').list).toEqual([]);
  });

  it('with a card that cannot be read are reported with the file and the field', () => {
    expect(() => modelsOf(folder(2)).list).toThrow(/broken\/card\.json: bounds/);
  });

  it.each([
    [{ model: card.slug, routingMode: null }, card.slug],
    [{ model: card.slug, routingMode: 'auto' }, card.slug],
    [{ model: card.slug, routingMode: 'hybrid_cnn' }, card.slug],
    [{ model: null, routingMode: 'hybrid_cnn' }, card.slug],
    [{ model: null, routingMode: 'snn_spiking' }, 'snnlib/spiking-resnet50'],
    [{ model: null, routingMode: null }, 'snnlib/spiking-resnet50'],
    [{ model: null, routingMode: 'auto' }, 'snnlib/spiking-resnet50'],
    [{ model: 'snnlib/dvs-convnet', routingMode: 'snn_spiking' }, 'snnlib/dvs-convnet'],
  ])('are chosen by slug, mode, both or by default: %p', (choice, slug) => {
    expect(modelsOf(folder(0)).choose(choice).slug).toBe(slug);
  });

  it.each([
    [{ model: 'snnlib/none', routingMode: null }, 'snn_model_unknown', card.slug],
    [{ model: null, routingMode: 'hybrid_none' }, 'snn_mode_unknown', 'hybrid_kan'],
    [{ model: null, routingMode: 'hybrid_kan' }, 'snn_mode_untrained', 'snn_spiking, hybrid_cnn'],
    [{ model: card.slug, routingMode: 'hybrid_kan' }, 'snn_mode_mismatch', 'hybrid_cnn'],
  ])('are not chosen: %p', (choice, code, named) => {
    const choose = () => modelsOf(folder(0)).choose(choice);
    expect(choose).toThrow(named);
    expect(choose).toThrow(expect.objectContaining({ code }));
  });

  it('are named by the field that decided', () => {
    const [model, routingMode] = [card.slug, 'hybrid_cnn'];
    expect(chosenBy({ model, routingMode })).toBe('model');
    expect(chosenBy({ model: null, routingMode })).toBe('routing_mode');
    expect(chosenBy({ model: null, routingMode: 'auto' })).toBe('default');
    expect(chosenBy({ model: null, routingMode: null })).toBe('default');
    const none = { model: null, routingMode: null };
    expect(() => modelsOf('/nowhere').choose(none)).toThrow(
      expect.objectContaining({ code: 'snn_model_missing' }),
    );
  });
});
