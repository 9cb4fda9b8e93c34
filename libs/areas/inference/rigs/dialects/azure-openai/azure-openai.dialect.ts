import { type JsonObject } from '../../chat-backend.js';
import { isObject } from '../../token-usage.js';
import { type KeyHeaders } from '../credentials.js';
import { type Dialect, type ErrorReader, type ProviderRequest } from '../dialect.js';
import { openAiDialect } from '../openai/openai.dialect.js';

export const azureKey: KeyHeaders = (key) => ({ 'api-key': key });

/**
 * Azure OpenAI: OpenAI's dialect at the address of a deployment, which is what the rig calls the
 * model, with the version in the query.
 */
export const azureOpenAiDialect = (apiVersion: string): Dialect => {
  const openai = openAiDialect();
  const at = ({ path, ...rest }: ProviderRequest, { model }: JsonObject): ProviderRequest => {
    const deployment = `/openai/deployments/${encodeURIComponent(String(model))}`;
    return { ...rest, path: `${deployment}${path}?api-version=${apiVersion}` };
  };
  // A deployment neither moderates nor ranks.
  const { embeddings, scoring: _none, ...chats } = openai;
  return {
    ...chats,
    chat: (request, isStream) => at(openai.chat(request, isStream), request.body),
    ...(embeddings && { embeddings: (request) => at(embeddings(request), request.body) }),
    errors: (body, headers) => withFilter(openai.errors(body, headers)),
  };
};

/** Says which filter has stopped the prompt: Azure's message names none. */
const withFilter = (read: ReturnType<ErrorReader>): ReturnType<ErrorReader> => {
  if (read?.error['code'] !== 'content_filter') return read;
  const { innererror: inner } = read.error;
  const results = isObject(inner) ? inner['content_filter_result'] : undefined;
  const stopped = isObject(results)
    ? Object.entries(results).flatMap(([name, result]) =>
        isObject(result) && result['filtered'] === true ? [name] : [],
      )
    : [];
  if (stopped.length === 0) return { ...read, kind: 'refused' };
  const message = `the provider's content filter has stopped the prompt: ${stopped.join(', ')}`;
  return { kind: 'refused', error: { ...read.error, message, param: 'messages' } };
};
