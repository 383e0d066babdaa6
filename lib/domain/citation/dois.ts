import * as z from 'zod';

/** A DOI. DOIs do not distinguish upper and lower case, so they are stored in lower case. */
export const doiSchema = z
  .string()
  .max(255)
  .regex(
    /^10\.\d{4,9}(?:\.\d{1,9})*\/[\x21-\x7e]+$/,
    'must be a DOI such as 10.5281/zenodo.1234567, without a URL before it',
  )
  .transform((text) => text.toLowerCase());

/** The account of a DataCite repository, with which a deployment registers DOIs. */
export const dataCiteSchema = z.strictObject({
  /** The ID of the repository account, such as `TIDES.OPEN`. */
  repositoryId: z.string().regex(/^[\w.-]{1,64}$/, 'must be the ID of a DataCite repository, such as TIDES.OPEN'),
  prefix: z.string().regex(/^10\.\d{4,9}$/, 'must be a prefix such as 10.5281'),
  /** The URL of DataCite's REST API. DataCite has a separate URL for tests. */
  api: z
    .string()
    .regex(/^https:\/\/[^/?#]+$/, 'must be an https URL without a path, such as https://api.test.datacite.org')
    .default('https://api.datacite.org'),
});
