import * as z from 'zod';
import { boundedText } from './text.ts';

/** What a deployment says of itself on its pages. */
export const siteSchema = z.strictObject({
  name: boundedText(64, 1).default('Sluice'),
  /** One or two sentences on the front page. */
  text: boundedText(400).default(
    'Open data, published by the people who make it. Read it in a browser, or with the tools that you have.',
  ),
  /** Of links and buttons, as `#rrggbb`; the design darkens or lightens it where it could not be read. */
  accent: z
    .string()
    .regex(/^#[0-9a-f]{6}$/, 'must be a colour such as #0b6b82')
    .default('#0b6b82'),
});
export type Site = z.output<typeof siteSchema>;

export const defaultSite: Site = siteSchema.parse({});
