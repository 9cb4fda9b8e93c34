/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const rigsErrors = {
  rig_not_found: { status: 404, param: 'name' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type RigsErrorCode = keyof typeof rigsErrors;
