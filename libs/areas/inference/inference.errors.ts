/**
 * Every domain error of the area, the HTTP status it becomes and the field at fault. The keys are
 * the complete set. The errors of the rigs are in `rigs/route-error.ts`.
 */
export const inferenceErrors = {
  model_not_found: { status: 404, param: 'model' },
  routing_mode_unavailable: { status: 501, param: 'routing_mode' },
  token_count_unavailable: { status: 501, param: 'model' },
  context_length_exceeded: { status: 400, param: 'max_tokens' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type InferenceErrorCode = keyof typeof inferenceErrors;
