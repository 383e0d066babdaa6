import * as z from 'zod';

export const htmlType = 'text/html; charset=utf-8';

/** The response of a page operation: its HTML and its headers. */
export const htmlPageSchema = z.object({
  html: z.string(),
  headers: z.record(z.string(), z.string()),
  /** For a missing object in an existing repository that anyone may see. This response is never cached. */
  status: z.literal(404).optional(),
});
export type HtmlPage = z.infer<typeof htmlPageSchema>;
