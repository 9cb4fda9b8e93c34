/** A form with its boundary, as the body of a request. */
export interface FormBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/**
 * Encodes a form whole: it holds what a caller has uploaded, which is in memory. `request` of
 * undici 8.12 never sends a form of its own class.
 */
export const formBody = async (form: FormData): Promise<FormBody> => {
  const encoded = new Response(form);
  const bytes = Buffer.from(await encoded.arrayBuffer());
  return { contentType: encoded.headers.get('content-type') ?? '', bytes };
};
