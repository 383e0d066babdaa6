import * as z from 'zod';

/** The answer of an operation that is a page: its HTML, and the headers that go with it. */
export const htmlPageSchema = z.object({ html: z.string(), headers: z.record(z.string(), z.string()) });
export type HtmlPage = z.infer<typeof htmlPageSchema>;
