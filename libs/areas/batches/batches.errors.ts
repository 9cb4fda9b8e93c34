/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const batchesErrors = {
  batch_not_found: { status: 404, param: 'id' },
  batch_not_cancellable: { status: 409 },
  batch_endpoint_unknown: { status: 400, param: 'endpoint' },
  batch_input_not_found: { status: 404, param: 'input_file_id' },
  batch_input_purpose: { status: 400, param: 'input_file_id' },
  batch_input_too_large: { status: 400, param: 'input_file_id' },
  batch_cursor_unknown: { status: 400, param: 'after' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type BatchesErrorCode = keyof typeof batchesErrors;
