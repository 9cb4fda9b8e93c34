import { type Abstract, type Provider } from '@nestjs/common';
import { Catalog } from '#areas/catalog/catalog.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type FiledModel } from '#platform/own-models/filed-model.js';
import { OwnModelFiles } from '#platform/own-models/own-model-files.js';
import { OwnModels } from '#platform/own-models/own-models.js';

/** The codes of the area that asks. */
interface Rejections<Code extends string> {
  readonly unknown: Code;
  /** The model has no weights here, or answers no chats. */
  readonly unsuitable: Code;
}

/** Models with a file here: of the catalog, or of the account. */
export class FiledModels<Code extends string = string> {
  /** @param catalog absent in a process without the area */
  constructor(
    private readonly catalog: Pick<Catalog, 'model' | 'rateFor'> | undefined,
    private readonly own: Pick<OwnModels, 'find'>,
    private readonly files: Pick<OwnModelFiles, 'pathOf'>,
    private readonly codes: Rejections<Code>,
  ) {}

  /** @throws DomainError `unknown`, also for the model of another account; `unsuitable` */
  async find(name: string, accountId: string): Promise<FiledModel> {
    const model = this.catalog?.model(name);
    if (!model) return this.#own(name, accountId);
    const rate = this.catalog?.rateFor(name, Number.POSITIVE_INFINITY);
    const { file, kind, contextTokens, maxOutputTokens, price } = model;
    if (file === null || kind !== 'chat' || !rate) {
      return this.#unsuitable(name);
    }
    const sha256 = await this.#sha256Of(file, name);
    const { version: rateCardVersion, batchDiscountPercent } = rate;
    const terms = { contextTokens, maxOutputTokens, price, rateCardVersion, batchDiscountPercent };
    return { name: model.id, file, sha256, ...terms };
  }

  async #sha256Of(file: string, name: string): Promise<string> {
    const { sha256Of } = await import('#engines/language-model/model-files.js');
    return sha256Of(file).catch(() => this.#unsuitable(name));
  }

  #unsuitable(name: string): never {
    const detail = `the model ${name} is no chat model with weights here`;
    throw new DomainError(this.codes.unsuitable, detail);
  }

  async #own(name: string, accountId: string): Promise<FiledModel> {
    const own = this.own.find(name, accountId);
    if (!own) throw new DomainError(this.codes.unknown, `there is no model ${name}`);
    const { sha256, contextTokens, maxOutputTokens, price } = own;
    const { rateCardVersion, batchDiscountPercent } = own;
    const terms = { contextTokens, maxOutputTokens, price, rateCardVersion, batchDiscountPercent };
    return { name, file: await this.files.pathOf(own), sha256, ...terms };
  }
}

/** Binds a port of an area to the models with a file here. */
export const bindFiledModels = <Port, Code extends string>(
  port: Abstract<Port>,
  codes: Rejections<Code>,
  adapt: (models: FiledModels<Code>) => Port,
): Provider => ({
  provide: port,
  inject: [{ token: Catalog, optional: true }, OwnModels, OwnModelFiles],
  useFactory: (catalog: Catalog | undefined, own: OwnModels, files: OwnModelFiles) =>
    adapt(new FiledModels(catalog, own, files, codes)),
});
