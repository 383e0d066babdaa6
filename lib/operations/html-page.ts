import * as z from 'zod';

export const htmlType = 'text/html; charset=utf-8';

/** The answer of an operation that is a page: its HTML, and the headers that go with it. */
export const htmlPageSchema = z.object({
  html: z.string(),
  headers: z.record(z.string(), z.string()),
  /** Of what is not there, in a place that is there and that anyone may see. Nobody keeps it. */
  status: z.literal(404).optional(),
});
export type HtmlPage = z.infer<typeof htmlPageSchema>;
