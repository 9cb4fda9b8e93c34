/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const embeddingsErrors = {
  embedding_model_not_found: { status: 404, param: 'model' },
  rerank_model_not_found: { status: 404, param: 'model' },
  moderation_model_not_found: { status: 404, param: 'model' },
  dimensions_out_of_range: { status: 400, param: 'dimensions' },
  embedding_inputs_too_long: { status: 400, param: 'input' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type EmbeddingsErrorCode = keyof typeof embeddingsErrors;
