import { afterEach } from '@jest/globals';
import { type ChatBackend, RigError } from './chat-backend.js';
import { createOpenAiRig, type OpenAiRigOptions } from './openai-rig.js';
import { type Script, startUpstream, type Upstream } from './upstream.fake.js';

interface Closable {
  close(): Promise<void>;
}

const open: Closable[] = [];

/** Closes it after the test, the last one opened first. */
export const closedAfterTest = (item: Closable): void => {
  open.push(item);
};

afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

export const rigAt = (baseUrl: string, options: Partial<OpenAiRigOptions> = {}): ChatBackend => {
  const rig = createOpenAiRig({ name: 'vllm', baseUrl, maxConcurrency: 4, ...options });
  open.push(rig);
  return rig;
};

export const rigFor = async (
  scripts: Script | readonly Script[],
  options: Partial<OpenAiRigOptions> = {},
): Promise<{ rig: ChatBackend; upstream: Upstream }> => {
  const upstream = await startUpstream(...[scripts].flat());
  open.push(upstream);
  return { rig: rigAt(upstream.baseUrl, options), upstream };
};

export const failureOf = async (work: Promise<unknown>): Promise<RigError> => {
  const error: unknown = await work.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (error instanceof RigError) return error;
  throw new Error(`expected a RigError, got ${String(error)}`);
};

/** A port without a listener. */
export const deadUrl = async (): Promise<string> => {
  const upstream = await startUpstream();
  await upstream.close();
  return upstream.baseUrl;
};
