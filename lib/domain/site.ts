import * as z from 'zod';
import { limits } from './limits.ts';
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
  /** A file with a picture that stands beside the name, in place of our mark: SVG, PNG or WebP. */
  logo: z.string().min(1).optional(),
  /** Shown on the front page before the newest: `account/repository`, in this order. What is not open and listed is left out. */
  featured: z
    .array(z.string().regex(/^[a-z0-9-]{3,40}\/[a-z0-9-]{3,40}$/, 'must be <account>/<repository>'))
    .max(limits.featuredRepositoriesMax)
    .default([]),
});
export type Site = z.output<typeof siteSchema>;

/** With where people find it, without a final slash: what is said to others needs whole URLs. */
export interface ShownSite extends Omit<Site, 'logo'> {
  url: string;
  /** Of the logo, below `assetsPath`. */
  logoFile?: string | undefined;
}

export const defaultSite: Site = siteSchema.parse({});
