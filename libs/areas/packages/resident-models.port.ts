/** A model whose weights are a file of this installation. */
export interface ResidentModel {
  readonly modelId: string;
  readonly kind: 'chat' | 'embedding';
  /** Absolute path of the weights. */
  readonly file: string;
  /** Of the weights inside a package. */
  readonly fileName: string;
  readonly bytes: number;
  /** Of the weights, in lower-case hex. */
  readonly sha256: string;
  /** Null where the file names none. */
  readonly architecture: string | null;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Of the vectors of an embedding model; null of any other. */
  readonly dimensions: number | null;
  /** Markdown. */
  readonly card: string;
  /** The SPDX id is null where no licence is known. */
  readonly licence: { readonly spdxId: string | null; readonly text: string };
  /** Whether it belongs to the account: its packages are then sealed with the key of the user. */
  readonly isOwned: boolean;
}

/**
 * The models whose weights this installation holds: the models of the catalog, and an account's
 * own. The composition root binds it.
 */
export abstract class ResidentModels {
  /**
   * @param source the id of a model, or the path of its file as the catalog writes it
   * @throws DomainError `package_model_unknown`, `package_model_unsuitable` for a model that is
   *   served by another server, or whose file cannot be read
   */
  abstract find(source: string, accountId: string): Promise<ResidentModel>;
}
