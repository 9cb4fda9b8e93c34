/** A model of an area, as the list of models shows it. */
export interface ListedModel {
  readonly id: string;
  /** 0 where it is not known. */
  readonly createdEpochSeconds: number;
  readonly ownedBy: string;
  /** The routes that take it; empty where it answers chats. */
  readonly endpoints: readonly string[];
  /** It is listed where the rate card has a price for them all. */
  readonly meters: readonly string[];
}

/** A provider of an area that names models, in addition to the models of the catalog. */
export interface ModelSource {
  readonly listedModels: readonly ListedModel[];
}
