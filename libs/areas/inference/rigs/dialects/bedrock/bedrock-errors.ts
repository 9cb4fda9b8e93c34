import { type JsonObject, type RigErrorKind } from '../../chat-backend.js';
import { type ErrorReader, type ProviderError } from '../dialect.js';

/** The exceptions of the runtime: whose fault they are, and their HTTP status. */
const EXCEPTIONS: Readonly<Record<string, readonly [kind: RigErrorKind, status: number]>> = {
  validationexception: ['refused', 400],
  // The operator's limits, keys and permissions.
  servicequotaexceededexception: ['failed', 400],
  accessdeniedexception: ['failed', 403],
  unrecognizedclientexception: ['failed', 401],
  invalidsignatureexception: ['failed', 401],
  expiredtokenexception: ['failed', 401],
  missingauthenticationtokenexception: ['failed', 401],
  incompletesignatureexception: ['failed', 401],
  resourcenotfoundexception: ['failed', 404],
  modeltimeoutexception: ['timed-out', 408],
  modelerrorexception: ['failed', 500],
  modelstreamerrorexception: ['failed', 500],
  throttlingexception: ['overloaded', 429],
  modelnotreadyexception: ['overloaded', 429],
  internalserverexception: ['failed', 500],
  serviceunavailableexception: ['overloaded', 503],
};

/** A model id or an ARN that is wrong is the operator's, and AWS calls it invalid input. */
const OF_MODEL = /model identifier is invalid|on-demand throughput isn.t supported/i;

/** A model's error. With a status from 400 to 499, the caller's input is the cause. */
const ofModel = (status: unknown): readonly [RigErrorKind, number] =>
  typeof status === 'number' && status >= 400 && status < 500 ? ['refused', 400] : ['failed', 500];

/** @param name of the exception, in an answer's header or in a stream */
export const exceptionOf = (name: string, body: JsonObject): ProviderError => {
  const { message, Message, originalStatusCode, originalMessage } = body;
  const text = [originalMessage, message, Message].find((one) => typeof one === 'string');
  const code = name.toLowerCase();
  const known = code.startsWith('model') && code.endsWith('errorexception');
  const [kind, status] = known ? ofModel(originalStatusCode) : (EXCEPTIONS[code] ?? []);
  const error = { message: text ?? `Bedrock failed with ${name}`, code: name };
  if (code === 'validationexception' && OF_MODEL.test(String(text))) {
    return { error, kind: 'failed', status: 404 };
  }
  return { error, kind, ...(status !== undefined && { status }) };
};

/** `{ message }`, with the exception in the header `x-amzn-errortype`. */
export const bedrockErrors: ErrorReader = (body, { 'x-amzn-errortype': type }) => {
  const stated = typeof type === 'string' ? type : body['__type'];
  if (typeof stated !== 'string') return null;
  // `ValidationException:http://…`, or with a name space in front of it.
  const [name = ''] = stated.split(':');
  return exceptionOf(name.split('#').at(-1) ?? '', body);
};
