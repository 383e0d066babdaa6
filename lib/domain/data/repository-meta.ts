import parseSpdxExpression from 'spdx-expression-parse';
import * as z from 'zod';
import { doiSchema } from '../citation/dois.ts';
import { limits } from '../limits.ts';
import { boundedText, webUrlSchema } from '../text.ts';
import type { RepositoryMeta } from './repositories.ts';

const licenseSchema = z.string().refine((text) => text.length <= limits.licenseLengthMax && isLicense(text), {
  error: 'must be an SPDX license expression such as CC-BY-4.0 or "MIT OR Apache-2.0" (https://spdx.org/licenses)',
});

/**
 * The optional metadata of a repository: all fields except title, description, and tags. In an update, an omitted field
 * keeps its value, and null deletes the value.
 */
const optionalFields = z.object({
  license: licenseSchema.nullable(),
  homepage: webUrlSchema.nullable(),
  documentation: webUrlSchema.nullable(),
  doi: doiSchema.nullable(),
  citation: boundedText(limits.repositoryMetaLengthMax, 1).nullable(),
  contact: boundedText(limits.contactLengthMax, 1).nullable(),
  keywords: z.array(boundedText(limits.keywordLengthMax, 1)).max(limits.keywordsMax).nullable(),
});

/** The metadata of a repository in a request. */
export const newRepositoryMetaSchema = z
  .strictObject({
    title: boundedText(limits.repositoryMetaLengthMax),
    description: boundedText(limits.repositoryMetaLengthMax),
    tags: boundedText(limits.repositoryMetaLengthMax),
    ...optionalFields.partial().shape,
  })
  .refine((meta) => Buffer.byteLength(JSON.stringify(meta)) <= limits.repositoryMetaBytesMax, {
    error: `must be at most ${limits.repositoryMetaBytesMax} bytes of JSON in UTF-8`,
  });
type NewRepositoryMeta = z.infer<typeof newRepositoryMetaSchema>;

/** Merges the metadata of a request into the stored metadata `before`, which is empty for a new repository. */
export function changedMeta(before: Partial<RepositoryMeta>, sent: NewRepositoryMeta): RepositoryMeta {
  const merged = Object.entries({ ...before, ...sent }).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(merged) as unknown as RepositoryMeta;
}

function isLicense(text: string): boolean {
  try {
    parseSpdxExpression(text);
    return true;
  } catch {
    return false;
  }
}
