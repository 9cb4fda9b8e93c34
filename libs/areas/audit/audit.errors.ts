/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const auditErrors = {
  tile_not_found: { status: 404 },
  leaf_not_found: { status: 404, param: 'leaf' },
  audited_request_not_found: { status: 404, param: 'request_id' },
  tree_size_unknown: { status: 404 },
  bill_too_large: { status: 422, param: 'month' },
  audit_not_ready: { status: 503 },
  audit_inconsistent: { status: 503 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type AuditErrorCode = keyof typeof auditErrors;
