import * as z from 'zod';

export const htmlType = 'text/html; charset=utf-8';

/** The response of an operation that returns an HTML page. */
export const htmlPageSchema = z.object({
  html: z.string(),
  headers: z.record(z.string(), z.string()),
  /**
   * The status of a page if it is not 200: for a missing file, folder, or version of a repository that anyone may see,
   * for a withdrawn version, or for a redirect. CloudFront never caches a response with one of these statuses.
   */
  status: z.literal([308, 404, 410]).optional(),
});
export type HtmlPage = z.infer<typeof htmlPageSchema>;
