import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { type Clock } from '#platform/kernel/clock.js';
import { NOW, orderOf } from '#platform/chats/chat-order.fixture.js';
import { type CutReason, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type ChatStream } from '#platform/chats/chat-strategy.js';
import {
  delta,
  insufficient,
  linesFor,
  llama,
  openInference,
  type Script,
  usage,
} from './inference-world.fixture.js';
import { type ChatChunk, RigError } from './rigs/chat-backend.js';
import { RouteError } from './rigs/route-error.js';
import { tokensIn } from './token-lines.js';

const streaming = (script: Script, clock?: Clock) => {
  const inference = openInference(clock ? { clock } : {});
  inference.rigs.script = script;
  return inference;
};

/** Two pages, then the end. */
async function* whole(): AsyncGenerator<readonly ChatChunk[], Usage, void> {
  yield [delta('Knotted ')];
  yield [delta('cords.')];
  return await Promise.resolve(usage(20, 2));
}

/** Pages without end; a signal makes it return the usage of the pages read, as a rig does. */
async function* endless(signal: AbortSignal): AsyncGenerator<readonly ChatChunk[], Usage, void> {
  let taken = 0;
  while (!signal.aborted) {
    taken += 1;
    yield [delta('knot ')];
  }
  return await Promise.resolve(usage(20, taken));
}

/** One page, then silence until the signal. */
async function* silent(signal: AbortSignal): AsyncGenerator<readonly ChatChunk[], Usage, void> {
  yield [delta('knot ')];
  if (!signal.aborted) await once(signal, 'abort');
  return usage(20, 1);
}

const breaking = (used?: Usage): Script =>
  async function* () {
    yield await Promise.resolve([delta('Knotted ')]);
    throw new RigError('broken-off', 'it broke', used ? { used } : {});
  };

const readAll = async ({ pages }: ChatStream) => {
  const chunks: ChatChunk[] = [];
  for (;;) {
    const page = await pages.next();
    if (page.done) return { chunks, receipt: page.value };
    chunks.push(...page.value.map((chunk) => JSON.parse(chunk) as ChatChunk));
  }
};

describe('a chat that is streamed', () => {
  it('is held before a rig is asked and charged before its end is passed on', async () => {
    const inference = streaming(whole);
    let heldWhenAsked: readonly string[] = [];
    inference.rigs.onAsked = () => {
      heldWhenAsked = [...inference.ledger.calls];
    };
    const stream = await inference.stream();
    expect(heldWhenAsked).toEqual(['place']);
    expect(inference.ledger.ends).toEqual([]);
    const { receipt } = await readAll(stream);
    expect(receipt).toMatchObject({ usage: usage(20, 2), entry: { eventId: 'e' }, cut: null });
    expect(inference.ledger.ends).toEqual(['capture completed']);
  });

  it('records when its first part was passed on, after the arrival of the request', async () => {
    let now = Date.parse(NOW);
    const inference = streaming(
      async function* () {
        now += 250;
        yield [delta('Knotted ')];
        now += 1_000;
        yield await Promise.resolve([delta('cords.')]);
        return usage(20, 2);
      },
      { now: () => now },
    );
    await readAll(await inference.stream());
    expect(inference.ledger.captured.firstByteMs).toBe(250);
  });

  it('passes every chunk on, with the caller’s model id and routing mode', async () => {
    const { chunks } = await readAll(await streaming(whole).stream());
    const echoed = { model: 'acme/llama-70b', routing_mode: 'auto' };
    expect(chunks).toEqual([
      { ...delta('Knotted '), ...echoed },
      { ...delta('cords.'), ...echoed },
    ]);
  });

  it('records the model that answered and a keyed hash of the delivered text', async () => {
    const inference = streaming(whole);
    await readAll(await inference.stream());
    expect(inference.ledger.captured).toMatchObject({
      evidence: {
        models: { answered: 'llama-70b-awq' },
        replyHash: 'hash of Knotted cords.',
        attempts: 1,
      },
    });
  });

  it('records the bytes of the chunks', async () => {
    const inference = streaming(whole);
    const { chunks } = await readAll(await inference.stream());
    const bytes = chunks.reduce<number>((sum, chunk) => sum + JSON.stringify(chunk).length, 0);
    expect(inference.ledger.captured.bytesOut).toBe(bytes);
  });

  it('is charged at the bound when the rig claims more', async () => {
    const inference = streaming(async function* () {
      yield await Promise.resolve([delta('x')]);
      return usage(20, 101);
    });
    await readAll(await inference.stream());
    expect(inference.ledger.captured).toMatchObject({
      lines: linesFor(20, 100),
      excess: [{ meter: 'output_tokens', quantity: 1 }],
    });
  });

  it('is charged its prompt when it completes without a word', async () => {
    const inference = streaming(async function* () {
      yield await Promise.resolve([]);
      return usage(20, 0);
    });
    await readAll(await inference.stream());
    expect(inference.ledger.ends).toEqual(['capture completed']);
  });

  it('asks no rig when the balance does not cover it', async () => {
    const inference = streaming(whole);
    inference.ledger.failures.place = insufficient;
    await expect(inference.stream()).rejects.toBe(insufficient);
    expect(inference.rigs.asked).toEqual([]);
  });

  it('is free when no rig begins', async () => {
    const inference = openInference();
    inference.rigs.script = new RouteError('failed', 'no', []);
    await expect(inference.stream()).rejects.toBe(inference.rigs.script);
    expect(inference.ledger.ends).toEqual(['release upstream_failed']);
  });
});

describe('a stream that breaks', () => {
  it('is charged for the delivered tokens, then reported', async () => {
    const inference = streaming(breaking({ ...usage(20, 1), source: 'counted' }));
    await expect(readAll(await inference.stream())).rejects.toThrow('it broke');
    expect(inference.ledger.ends).toEqual(['capture upstream_failed']);
    expect(inference.ledger.captured).toMatchObject({
      lines: linesFor(20, 1),
      usageSource: 'counted',
      evidence: { replyHash: 'hash of Knotted ' },
    });
  });

  it('is free when nothing of worth was delivered', async () => {
    const inference = streaming(breaking(usage(20, 0)));
    await expect(readAll(await inference.stream())).rejects.toThrow('it broke');
    expect(inference.ledger.ends).toEqual(['release upstream_failed']);
  });

  it('is free when the rig states no usage', async () => {
    const inference = streaming(breaking());
    await expect(readAll(await inference.stream())).rejects.toThrow('it broke');
    expect(inference.ledger.ends).toEqual(['release upstream_failed']);
  });

  it('is free when the defect is here', async () => {
    const inference = streaming(async function* () {
      yield await Promise.resolve([]);
      throw new TypeError('defect');
    });
    await expect(readAll(await inference.stream())).rejects.toThrow('defect');
    expect(inference.ledger.ends).toEqual(['release internal_error']);
  });

  it('ends once, even if it is read on', async () => {
    const inference = streaming(breaking(usage(20, 1)));
    const { pages } = await inference.stream();
    await pages.next();
    await expect(pages.next()).rejects.toThrow('it broke');
    expect(await pages.next()).toEqual({ done: true, value: undefined });
    await pages[Symbol.asyncDispose]();
    expect(inference.ledger.ends).toEqual(['capture upstream_failed']);
  });
});

describe('a stream that is cut', () => {
  it.each(['client_gone', 'timed_out', 'shut_down'] as const)(
    'is charged for the delivered tokens: %s',
    async (reason) => {
      const inference = streaming(endless);
      const stream = await inference.stream();
      await stream.pages.next();
      await stream.pages.next();
      inference.controller.abort(new RequestCutError(reason));
      const { receipt } = await readAll(stream);
      expect(receipt).toMatchObject({ usage: usage(20, 2), cut: { reason } });
      expect(inference.ledger.ends).toEqual([`capture ${reason}`]);
    },
  );

  it('ends while the rig is silent', async () => {
    const inference = streaming(silent);
    const stream = await inference.stream();
    await stream.pages.next();
    const rest = readAll(stream);
    inference.controller.abort(new RequestCutError('timed_out'));
    expect((await rest).receipt).toMatchObject({ cut: { reason: 'timed_out' } });
    expect(inference.ledger.ends).toEqual(['capture timed_out']);
  });

  const cutBeforeOutput = async (reason: CutReason, chargesCancelled = true) => {
    const inference = streaming(async function* (signal) {
      yield [];
      if (!signal.aborted) await once(signal, 'abort');
      return usage(20, 0);
    });
    inference.catalog.model = () => ({ ...llama, chargesCancelled });
    const stream = await inference.stream();
    await stream.pages.next();
    inference.controller.abort(new RequestCutError(reason));
    const { receipt } = await readAll(stream);
    return { receipt, ends: inference.ledger.ends };
  };

  it.each(['timed_out', 'shut_down'] as const)(
    'is free before there was any output: %s',
    async (reason) => {
      const { receipt, ends } = await cutBeforeOutput(reason);
      expect(receipt.entry).toBeNull();
      expect(ends).toEqual([`release ${reason}`]);
    },
  );

  it('is charged its prompt when the caller leaves before there was any output', async () => {
    const { receipt, ends } = await cutBeforeOutput('client_gone');
    expect(receipt).toMatchObject({ usage: usage(20, 0), entry: { eventId: 'e' } });
    expect(ends).toEqual(['capture client_gone']);
  });

  it('is free then, too, if its model does not charge for that', async () => {
    const { ends } = await cutBeforeOutput('client_gone', false);
    expect(ends).toEqual(['release client_gone']);
  });

  it('was cut before it began', async () => {
    const inference = streaming(endless);
    inference.controller.abort(new RequestCutError('timed_out'));
    const { receipt } = await readAll(await inference.stream());
    expect(receipt).toMatchObject({ entry: null, cut: { reason: 'timed_out' } });
    expect(inference.ledger.ends).toEqual(['release timed_out']);
  });
});

describe('a stream whose reader leaves without a word', () => {
  it('stops the rig and is charged for the pages that were read', async () => {
    const inference = streaming(endless);
    const { pages } = await inference.stream();
    await pages.next();
    await pages.next();
    await pages[Symbol.asyncDispose]();
    expect(inference.ledger.ends).toEqual(['capture client_gone']);
    expect(tokensIn(inference.ledger.captured.lines)).toMatchObject({ outputTokens: 2 });
  });

  it('is free when not a page was read', async () => {
    const inference = streaming(endless);
    const { pages } = await inference.stream();
    await pages[Symbol.asyncDispose]();
    expect(inference.ledger.ends).toEqual(['release client_gone']);
  });

  it('is charged once when a loop is left', async () => {
    const inference = streaming(endless);
    const { pages } = await inference.stream();
    let seen = 0;
    for await (const page of pages) {
      seen += page.length;
      if (seen === 3) break;
    }
    expect(inference.ledger.ends).toEqual(['capture client_gone']);
    expect(tokensIn(inference.ledger.captured.lines)).toMatchObject({ outputTokens: 3 });
  });

  it('is charged once when the reader throws', async () => {
    const inference = streaming(endless);
    const { pages } = await inference.stream();
    await pages.next();
    await expect(pages.throw(new Error('the reader failed'))).rejects.toThrow('the reader failed');
    expect(inference.ledger.ends).toEqual(['capture client_gone']);
  });

  it('is not charged again when it is disposed of after its end', async () => {
    const inference = streaming(whole);
    const stream = await inference.stream();
    await readAll(stream);
    await stream.pages[Symbol.asyncDispose]();
    expect(inference.ledger.ends).toEqual(['capture completed']);
  });
});

describe('a stream whose charge cannot be written', () => {
  it('fails, and its hold is freed', async () => {
    const inference = streaming(whole);
    inference.ledger.failures.capture = new Error('no space');
    await expect(readAll(await inference.stream(orderOf()))).rejects.toThrow('no space');
    expect(inference.ledger.ends).toEqual(['capture completed', 'release internal_error']);
  });
});
