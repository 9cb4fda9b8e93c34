import { describe, expect, it } from '@jest/globals';
import { orderOf } from '#platform/chats/chat-order.fixture.js';
import { type ChatBody } from '#platform/chats/chat-order.js';
import { PictureError } from '#platform/pictures/picture.js';
import { completionOf, openInference, usage } from '../inference-world.fixture.js';
import { PICTURES_MAX } from './described-pictures.js';
import { DESCRIPTION_LENGTH_MAX, PictureDescriber } from './picture-describer.port.js';

const PNG = Buffer.from('a picture');
const URL = `data:image/png;base64,${PNG.toString('base64')}`;
const TEXT = 'The picture shows a red star at the middle centre.';
const ENGINE = 'embedded:quipu-shapes@ab';

class ScriptedDescriber extends PictureDescriber {
  readonly looked: unknown[] = [];
  error: Error | null = null;

  override linesOf(pictures: number) {
    const price = { unitPriceMicroUsd: '100', perUnits: 1 };
    return [{ meter: 'vision_frames', quantity: pictures, ...price }];
  }

  override describe(accountId: string, file: Uint8Array) {
    this.looked.push([accountId, Buffer.from(file).toString()]);
    if (this.error) return Promise.reject(this.error);
    return Promise.resolve({ engine: ENGINE, text: TEXT });
  }
}

const asked = (...urls: readonly string[]): Partial<ChatBody> => ({
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        ...urls.map((url) => ({ type: 'image_url', image_url: { url } })),
      ],
    },
  ],
});

/** @param features of the rig of the model */
const open = (features: readonly string[] = ['described_images']) => {
  const describer = new ScriptedDescriber();
  const inference = openInference({ describer });
  inference.rigs.speaks = (_, feature) => features.includes(feature);
  inference.rigs.completion = () =>
    Promise.resolve({ completion: completionOf('A star.'), usage: usage(20, 30) });
  return { ...inference, describer };
};

const sentBy = ({ rigs }: ReturnType<typeof open>): unknown =>
  rigs.asked[0]?.request().body['messages'];

describe('pictures of a chat whose model reads text alone', () => {
  it('are described in words, which the answer has, and charged in the same hold', async () => {
    const world = open();
    const { text } = await world.complete(orderOf(asked(URL, URL)));
    const words = { type: 'text', text: TEXT };
    expect(sentBy(world)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'What is this?' }, words, words] },
    ]);
    expect(JSON.parse(text)).toMatchObject({
      described_images: [
        { engine: ENGINE, text: TEXT },
        { engine: ENGINE, text: TEXT },
      ],
    });
    const looks = { meter: 'vision_frames', quantity: 2 };
    expect(world.ledger.placed.lines.at(-1)).toMatchObject(looks);
    expect(world.ledger.captured.lines.at(-1)).toMatchObject(looks);
    expect(world.ledger.captured.excess).toEqual([]);
    expect(world.describer.looked).toEqual([
      ['7', 'a picture'],
      ['7', 'a picture'],
    ]);
  });

  it('are held as long as their words can become', async () => {
    const inputOf = async (body: Partial<ChatBody>) => {
      const { complete, ledger } = open();
      await complete(orderOf(body));
      return ledger.placed.lines[0]?.quantity ?? 0;
    };
    const more = (await inputOf(asked(URL))) - (await inputOf(asked()));
    expect(more).toBeGreaterThanOrEqual(DESCRIPTION_LENGTH_MAX);
  });

  it('are said in the first chunk of a stream alone', async () => {
    const { stream, rigs } = open();
    rigs.script = async function* () {
      yield [{ id: 'c', choices: [] }];
      yield [{ id: 'c', choices: [] }];
      return await Promise.resolve(usage(20, 2));
    };
    const { pages } = await stream(orderOf(asked(URL)));
    const chunks: unknown[] = [];
    for await (const page of pages)
      chunks.push(...page.map((chunk) => JSON.parse(chunk) as object));
    expect(chunks).toMatchObject([{ described_images: [{ text: TEXT }] }, {}]);
    expect(chunks[1]).not.toHaveProperty('described_images');
  });

  it.each([
    ['of a model with a rig that sees', ['images', 'described_images'], [URL]],
    ['of a model that takes no words for them', [], [URL]],
    ['that are not there', ['described_images'], []],
  ] as const)('are left as they are %s', async (_, features, urls) => {
    const world = open(features);
    const { text } = await world.complete(orderOf(asked(...urls)));
    expect(world.describer.looked).toEqual([]);
    expect(sentBy(world)).toEqual(asked(...urls).messages);
    expect(JSON.parse(text)).not.toHaveProperty('described_images');
    expect(world.ledger.placed.lines.map(({ meter }) => meter)).not.toContain('vision_frames');
  });

  it.each([
    ['are described for another interface', {}, 1],
    ['are left to an interface that alone can express the request', { untranslated: 'top_k' }, 0],
  ])('%s', async (_, more, looks) => {
    const world = open();
    const original = { dialect: 'messages', bytes: Buffer.from('{}'), ...more } as const;
    await world.complete({ ...orderOf(asked(URL)), original });
    expect(world.describer.looked).toHaveLength(looks);
  });

  it.each([
    ['at a URL', ['https://example.org/a.png'], 'expected a data: URL of a PNG file'],
    ['of another format', ['data:image/gif;base64,R0lG'], 'expected a data: URL of a PNG file'],
    ['of a large number', Array<string>(PICTURES_MAX + 1).fill(URL), 'expected at most 4'],
  ])('%s are rejected before a hold', async (_, urls, message) => {
    const { complete, ledger } = open();
    await expect(complete(orderOf(asked(...urls)))).rejects.toThrow(message);
    expect(ledger.calls).toEqual([]);
  });

  it('that cannot be read are named, and free', async () => {
    const { complete, ledger, describer } = open();
    describer.error = new PictureError('not_a_png', 'it is no PNG file');
    await expect(complete(orderOf(asked(URL)))).rejects.toThrow(
      'messages[0].content[1].image_url: picture 1 cannot be read: it is no PNG file',
    );
    expect(ledger.calls).toEqual(['place', 'release refused']);
  });

  it('are free where nothing can look at them', async () => {
    const { complete, ledger, describer } = open();
    describer.error = new Error('no worker');
    await expect(complete(orderOf(asked(URL)))).rejects.toThrow('no worker');
    expect(ledger.calls).toEqual(['place', 'release upstream_failed']);
  });
});
