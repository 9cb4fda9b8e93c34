import { z } from 'zod';
import { fetchJson, parseExactly } from '../fetch-json.js';

const Answer = z.object({
  result: z.unknown(),
  error: z.object({ code: z.number(), message: z.string() }).nullish(),
});

/** The server understood the call and rejected it. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';
}

/** Calls methods of a JSON-RPC server. Amounts with a fraction arrive as text. */
export class JsonRpc {
  readonly #fetch = fetchJson(parseExactly);

  constructor(private readonly url: string) {}

  /** @throws JsonRpcError, ZodError, UnusableAnswerError; the error of the connection */
  async call<Schema extends z.ZodType>(
    method: string,
    parameters: readonly unknown[],
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    const body = { jsonrpc: '2.0', id: 1, method, params: parameters };
    const { result, error } = Answer.parse(await this.#fetch({ url: this.url, body, signal }));
    if (error) throw new JsonRpcError(`${method}: ${error.message} (${error.code})`);
    return schema.parse(result);
  }
}
