import * as z from 'zod';

export const htmlType = 'text/html; charset=utf-8';

/** The response of an operation that returns an HTML page. */
export const htmlPageSchema = z.object({
  html: z.string(),
  headers: z.record(z.string(), z.string()),
  /**
   * Set for a missing file, folder, or version of a repository that anyone may see, for a withdrawn version, and for a
   * redirect. CloudFront never caches this response.
   */
  status: z.literal([308, 404, 410]).optional(),
});
export type HtmlPage = z.infer<typeof htmlPageSchema>;
