import { type IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type FileSearch, type FoundPassage } from '#areas/responses/translation/file-search.js';
import { type Item } from '#areas/responses/translation/input-items.js';
import {
  fileSearchOf,
  includesResults,
  type ResponseBody,
} from '#areas/responses/translation/response-body.js';
import { isReadable } from '#areas/vaults/chunks.js';
import { SearchVaultCommand } from '#areas/vaults/search-vault.handler.js';
import { storeFileIdOf } from '#areas/vaults/vault.queries.js';
import { QUERY_LENGTH_MAX } from '#areas/vaults/vault-search.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { inStore } from '../vaults/store-files.js';
import { VaultWork } from '../vaults/vault-work.js';
import {
  readBody,
  SearchFields,
  type SearchLimits,
  searchLimitsOf,
} from '../vaults/vector-stores.body.js';
import { vaultIdOf } from '../vaults/vector-stores.presenter.js';

export interface AskedSearch {
  readonly caller: Caller;
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  readonly attempt: RequestAttempt | undefined;
}

/** Searches the vector stores that a request for a response names. */
@Injectable()
export class FileSearches {
  constructor(
    private readonly commands: CommandBus,
    private readonly work: VaultWork,
  ) {}

  /**
   * One search of each store by the last text of the user, each with a hold and a charge of its
   * own. Null where the request names none, or where its last item is no text of the user.
   * @throws RejectedRequestError 400 that names the field; as `SearchVaultCommand`
   */
  async run(
    body: ResponseBody,
    input: readonly Item[],
    asked: AskedSearch,
  ): Promise<FileSearch | null> {
    const search = fileSearchOf(body);
    const query = search && lastTextOf(input);
    if (!search || !query) return null;
    const { vector_store_ids: storeIds, type: _, ...fields } = search.tool;
    const limits = searchLimitsOf(
      readBody(SearchFields, fields, search.at),
      `${search.at}.filters`,
    );
    const found: FoundPassage[] = [];
    for (const storeId of new Set(storeIds)) {
      found.push(...(await this.#search(storeId, query, limits, asked)));
    }
    found.sort((one, other) => other.score - one.score);
    return { query, found: found.slice(0, limits.top), isShown: includesResults(body) };
  }

  async #search(
    storeId: string,
    query: string,
    { scoreLeast, ...limits }: SearchLimits,
    { caller, requestId, headers, attempt }: AskedSearch,
  ): Promise<readonly FoundPassage[]> {
    const search = { vaultId: vaultIdOf(storeId), query, ...limits };
    // The hold of the chat has the id of the request.
    const own = { id: derivedId(`file search ${storeId}`, requestId), headers };
    const { answer } = await this.work.run(caller, own, attempt, (order, signal) =>
      inStore(this.commands.execute(new SearchVaultCommand({ ...order, search }, signal))),
    );
    return answer.found
      .filter(({ score }) => score >= scoreLeast)
      .map((one) => ({
        fileId: storeFileIdOf(one),
        filename: one.title,
        score: one.score,
        text: one.text,
        attributes: one.attributes,
      }));
  }
}

/** Null where it has no letters or digits to search by. */
const lastTextOf = (input: readonly Item[]): string | null => {
  const last = input.findLast(({ type }) => type !== 'file_search_call');
  if (last?.type !== 'message' || last.role !== 'user') return null;
  const texts = last.content.map((part) => (part['type'] === 'input_text' ? part['text'] : ''));
  const query = texts.join('\n').slice(0, QUERY_LENGTH_MAX);
  return isReadable(query) ? query : null;
};
