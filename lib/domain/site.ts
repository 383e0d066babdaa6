import * as z from 'zod';
import type { SiteEntries } from './site-assets.ts';
import { boundedText, webUrlSchema } from './text.ts';

/** The texts and the design that a deployment sets for its pages. */
export const siteSchema = z.strictObject({
  name: boundedText(64, 1).default('Sluice'),
  /** The text on the front page: one or two sentences. */
  text: boundedText(400).default(
    'Open data, published by the people who make it. Read it in a browser, or with the tools that you have.',
  ),
  /** The color of links and buttons, as `#rrggbb`. The page makes it darker or lighter if the contrast is too low. */
  accent: z
    .string()
    .regex(/^#[0-9a-f]{6}$/, 'must be a colour such as #0b6b82')
    .default('#0b6b82'),
  /** The email address or the URL at which users reach the operator, for example after their account was disabled. */
  contact: z.union([z.email(), webUrlSchema]).optional(),
  /** A file with a picture that replaces the default logo beside the name: SVG, PNG, or WebP. */
  logo: z.string().min(1).optional(),
});
export type Site = z.output<typeof siteSchema>;

/**
 * The properties of the site that its pages use. `url` has no final slash, and absolute URLs in page metadata begin
 * with it.
 */
export interface ShownSite extends Omit<Site, 'logo'> {
  url: string;
  /** The file name of the logo below `assetsPath`. */
  logoFile?: string | undefined;
  /** The names of the browser files that pages load. */
  entries: SiteEntries;
}

export const defaultSite: Site = siteSchema.parse({});
