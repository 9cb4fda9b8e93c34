import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { MemoryBlobs } from '#platform/blobs/memory-blobs.fake.js';
import { heardWord, ScriptedRecognizer, windowOf } from '../audio-world.fixture.js';
import { transcriptionJob } from './transcription.job.js';
import { TranscriptionRunner } from './transcription-runner.js';
import { type TranscriptionCheckpoint } from './transcription.task.js';

const { signal: never } = new AbortController();

const open = async (script: ConstructorParameters<typeof ScriptedRecognizer>[0]) => {
  const blobs = new MemoryBlobs();
  const pcm = Readable.from([new Uint8Array(64_000)]);
  const { address: blob } = await blobs.put(pcm, { owner: 'user:7' });
  const runner = new TranscriptionRunner(blobs, new ScriptedRecognizer(script));
  const run = async (checkpoint: TranscriptionCheckpoint | null = null) => {
    const attempt = { accountId: '7', jobId: 'job', attempt: 1, checkpoint, usage: [] };
    const order = { ...attempt, submittedAt: '', input: { blob, seconds: 2 } };
    const reports = [];
    const pieces = runner.run(order, never);
    let next = await pieces.next();
    for (; !next.done; next = await pieces.next()) reports.push(next.value);
    return { reports, end: next.value };
  };
  return { blobs, run };
};

function* twoWindows() {
  yield windowOf([heardWord('one', 0.2)], 16_000);
  yield windowOf([heardWord(null, 1.2), heardWord('two', 1.5)], 32_000);
}

describe('the transcription of a long recording', () => {
  it('reports each window, and is charged for the milliseconds that were heard', async () => {
    const { reports, end } = await (await open(twoWindows)).run();
    expect(reports.map(({ done, total, usage }) => ({ done, total, usage }))).toEqual([
      { done: 1_000, total: 2_000, usage: [{ meter: 'audio_ms', quantity: 1_000 }] },
      { done: 2_000, total: 2_000, usage: [{ meter: 'audio_ms', quantity: 2_000 }] },
    ]);
    expect(end).toMatchObject({
      result: { seconds: 2, windows: [{ heard: [{ word: 'one' }] }, {}] },
      shown: { heardMs: 2_000, words: 2 },
      usage: [{ meter: 'audio_ms', quantity: 2_000 }],
    });
    expect(transcriptionJob.result.parse(end.result)).toEqual(end.result);
    expect(transcriptionJob.checkpoint.parse(reports[0]?.checkpoint)).toEqual(
      reports[0]?.checkpoint,
    );
  });

  it('continues behind its checkpoint', async () => {
    const froms: number[] = [];
    const { run } = await open(function* (_, from) {
      froms.push(from);
      yield windowOf([heardWord('two', 1.5)], 32_000);
    });
    const window = { heard: [heardWord('one', 0.2)], noSpeechProbability: 0.1 };
    const { end } = await run({ windows: [window], until: 16_000 });
    expect(froms).toEqual([16_000]);
    expect(end.shown).toEqual({ heardMs: 2_000, words: 2 });
  });

  it('fails for good once the recording is gone', async () => {
    const { blobs, run } = await open(twoWindows);
    blobs.lose();
    await expect(run()).rejects.toMatchObject({ code: 'recording_gone' });
  });
});
