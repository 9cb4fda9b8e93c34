import { type TokenPrice } from '#events/token-price.vocabulary.js';
import { type NewOwnModel } from '#platform/own-models/own-models.js';
import { reject } from './models.errors.js';
import { type PricedModel } from './priced-models.port.js';

type PriceTerms = Pick<
  NewOwnModel,
  'price' | 'rateCardVersion' | 'batchDiscountPercent' | 'maxOutputTokens'
>;

/**
 * The terms of an upload: of the smallest model with at least its number of parameters, the dearest
 * of them where there are several. Above the largest model, the price of input and of output grows
 * with the parameters.
 * @throws DomainError `uploaded_model_not_priced`
 */
export const priceClassOf = (
  parameters: number,
  models: readonly PricedModel[],
): PriceTerms & { readonly pricedAs: string } => {
  const bySize = models.toSorted(
    (one, other) => one.parameters - other.parameters || dearer(one, other),
  );
  const largest = bySize.at(-1)?.parameters;
  const found =
    bySize.find((model) => model.parameters >= parameters) ??
    bySize.find((model) => model.parameters === largest);
  if (!found) {
    const detail = 'the catalog has no chat model with weights here that has a price';
    return reject('uploaded_model_not_priced', detail);
  }
  const { name, price, rateCardVersion, batchDiscountPercent, maxOutputTokens } = found;
  const terms = { rateCardVersion, batchDiscountPercent, maxOutputTokens, pricedAs: name };
  if (parameters <= found.parameters) return { ...terms, price };
  return { ...terms, price: inProportion(price, parameters, found.parameters) };
};

const dearer = ({ price: one }: PricedModel, { price: other }: PricedModel): number => {
  const sumOf = (price: TokenPrice): bigint =>
    BigInt(price.inputMicroUsdPerMtok) + BigInt(price.outputMicroUsdPerMtok);
  return Number(sumOf(other) - sumOf(one));
};

/** Rounded up to a micro-dollar for a million tokens. */
const inProportion = (price: TokenPrice, parameters: number, of: number): TokenPrice => {
  const scaled = (microUsd: string): string =>
    ((BigInt(microUsd) * BigInt(parameters) + BigInt(of) - 1n) / BigInt(of)).toString();
  return {
    inputMicroUsdPerMtok: scaled(price.inputMicroUsdPerMtok),
    outputMicroUsdPerMtok: scaled(price.outputMicroUsdPerMtok),
  };
};
